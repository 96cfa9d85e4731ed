# SPDX-License-Identifier: Apache-2.0
"""torch.fft, forward and backward: its results and its memory."""

import json

import torch
from measure import measure

fft = torch.fft
device = {"device": "cuda"}
real, complex_ = torch.zeros(64, 4096, **device), torch.zeros(64, 4096, dtype=torch.cfloat, **device)
image = torch.zeros(8, 3, 96, 80, **device)
half = torch.zeros(64, 4096, dtype=torch.half, **device)


def backward(transform):
    def run():
        x = real.clone().requires_grad_()
        result = transform(x)
        (result.abs() if result.is_complex() else result).sum().backward()
        return x.grad

    return run


OPERATIONS = {
    "fft": lambda: fft.fft(complex_),
    "fft of real numbers": lambda: fft.fft(real),
    "ifft": lambda: fft.ifft(complex_),
    "rfft": lambda: fft.rfft(real),
    "irfft": lambda: fft.irfft(complex_),
    "rfft2": lambda: fft.rfft2(image),
    "irfft2": lambda: fft.irfft2(fft.rfft2(image), s=(96, 80)),
    "fftn": lambda: fft.fftn(image, dim=(1, 2, 3)),
    "rfft in double": lambda: fft.rfft(real.double()),
    "rfft in half": lambda: fft.rfft(half),
    "fft in half": lambda: fft.fft(half),
    "hfft": lambda: fft.hfft(complex_),
    "stft": lambda: torch.stft(real, 512, window=torch.zeros(512, **device), return_complex=True),
    "backward of rfft": backward(fft.rfft),
    "backward of rfft and irfft": backward(lambda x: fft.irfft(fft.rfft(x))),
    "backward of fftn": backward(lambda x: fft.fftn(x)),
}

print(json.dumps({name: measure(operation) for name, operation in OPERATIONS.items()}))
