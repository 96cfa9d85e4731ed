# SPDX-License-Identifier: Apache-2.0
"""Callbacks for training frameworks. Each module imports its framework, and this package none of them."""
