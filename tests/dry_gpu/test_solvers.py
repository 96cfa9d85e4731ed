# SPDX-License-Identifier: Apache-2.0
"""Real PyTorch on cuSOLVER, cuSPARSE, cuSPARSELt and cuFFT: the results and their memory.

Sizes are calculated by hand from what ATen allocates around the libraries. The libraries' own
workspaces are not documented: for cuSOLVER's most common decompositions and cuFFT, formulas fitted
to an H200 give them (test_workspaces_fitted.py compares them with the measured sizes); the others
count as nothing, or as what the profile says, and as unknown workspaces.
"""

KIB, MIB = 1 << 10, 1 << 20
INFO = 512  # an int on the device, in the smallest possible block


def jacobi_svd(longer, shorter):
    """Return the workspace for the decomposition of a tall matrix
    (dry_gpu/cusolver/fitted_sizes.hpp)."""
    factorisation = longer * shorter + 64 * longer + 256 * (shorter + 256)
    return (4 * (factorisation + 2 * shorter**2 + 2 * shorter + 256) + 511) // 512 * 512


def test_decompositions_and_solutions(on_dry_gpu):
    facts = on_dry_gpu("linalg.py")
    assert facts["messages"] == [], "nothing that these need is refused"
    shapes = {name: fact["shapes"] for name, fact in facts.items() if isinstance(fact, dict) and "shapes" in fact}
    n, many, small = [512, 512], [4, 64, 64], [8, 16, 16]
    assert shapes == {
        "svd": [[1024, 256], [256], [256, 256]],
        "svd of many": [many, [4, 64], many],
        "svd of many small ones": [small, [8, 16], small],
        "svd by gesvd": [[1024, 256], [256], [256, 256]],
        "svd by gesvda": [[1024, 256], [256], [256, 256]],
        "svd in double": [[32, 32], [16], [16, 16]],
        "svd of complex numbers": [[32, 32], [16], [16, 16]],
        "singular values": [[256]],
        "svd_lowrank": [[1024, 8], [8], [256, 8]],
        "qr": [[1024, 256], [256, 256]],
        "qr of many": [many, many],
        "eigh": [[512], n],
        "eigh of many": [[4, 64], many],
        "eigh of many small ones": [[8, 16], small],
        "eigh of complex numbers": [[48], [48, 48]],
        "eigvalsh": [[512]],
        "inv": [n],
        "inv of many": [many],
        "cholesky": [n],
        "cholesky of many": [many],
        "cholesky_solve": [n],
        "cholesky_inverse": [n],
        "solve": [n],
        "solve of many": [many],
        "lstsq": [[256, 4]],
        "lstsq of many": [[4, 16, 2]],
        "lu_factor": [n, [512]],
        "lu_factor of many": [many, [4, 64]],
        "det": [[]],
        "slogdet of many": [[4], [4]],
        "pinv": [[256, 1024]],
        "matrix_exp": [[16, 16]],
        "ldl_factor": [n, [512]],
        "ldl_solve": [n],
        "triangular": [n],
        "ormqr": [[1024, 8]],
        "backward of svd": [[24, 24]],
        "backward of qr": [[24, 24]],
        "backward of eigh": [[24, 24]],
        "backward of cholesky": [[24, 24]],
        "backward of inv": [[24, 24]],
    }

    def bytes_of(name):
        return facts[name]["kept"], facts[name]["peak"]

    # U, S and V, and meanwhile a column-major copy of A, which is overwritten.
    results = 1024 * 256 * 4 + 1 * KIB + 256 * 256 * 4
    assert bytes_of("svd") == (results, results + INFO + 1024 * 256 * 4 + jacobi_svd(1024, 256))
    # Eigenvectors overwrite A.
    assert bytes_of("eigh") == (MIB + 2 * KIB, MIB + 2 * KIB + INFO + 1_124_864), "the workspace, in whole blocks"
    # The success flag is a bool of its own, and meanwhile there is another: less than the
    # workspace.
    assert bytes_of("cholesky") == (MIB, MIB + INFO + 1_536)

    # It first checks that all values are finite, which a kernel computes.
    assert facts["eig"] == "works"
    assert facts["counts"]["fitted_workspaces"] > 20
    assert 5 < facts["counts"]["unknown_workspaces"] < 20, "gesvd, LDL and products with Q among them"


def test_a_workspace_of_ones_own_choice(on_dry_gpu):
    fitted, chosen = (on_dry_gpu("linalg.py", "svd", "eigh", **setting) for setting in ({}, {"cusolver_workspace_bytes": 16 * MIB}))
    for name in ("svd", "eigh"):
        assert chosen[name]["kept"] == fitted[name]["kept"]
    assert chosen["svd"]["peak"] == fitted["svd"]["peak"] + 16 * MIB - jacobi_svd(1024, 256)
    assert chosen["eigh"]["peak"] == fitted["eigh"]["peak"] + 16 * MIB - 1_124_864
    origins = [[facts["counts"][name] for name in ("fitted_workspaces", "unknown_workspaces")] for facts in (fitted, chosen)]
    assert origins == [[2, 0], [0, 2]], "what a program chose is no knowledge"
    assert fitted["messages"] == chosen["messages"] == []


def test_a_step_of_galore(on_dry_gpu):
    facts = on_dry_gpu("galore_step.py")
    assert facts["messages"] == []
    assert facts["gradient"]["kept"] == 8 * MIB + 32 * MIB, "and cuBLAS's workspace of the thread that goes backward"
    # 1024 x 2048: U of 4 MiB, S, V of 8 MiB, and a column-major copy of the gradient. The first 128
    # columns of U keep all of it alive.
    assert facts["project"]["shapes"] == [[1024, 128]]
    # cuSOLVER transposes the gradient in its workspace, because it is wider than tall.
    workspace = 26 * MIB
    assert 0 < workspace - jacobi_svd(2048, 1024) - 8 * MIB < MIB, "a segment of its own, not split for what is left of it"
    assert facts["project"]["peak"] == 4 * MIB + 4 * KIB + 8 * MIB + INFO + 8 * MIB + workspace
    assert facts["project"]["kept"] == 4 * MIB
    # Two moments of 128 x 2048; at the peak also the projected gradient, the step, and the step at
    # the weight's size.
    assert facts["update"]["shapes"] == [[128, 2048], [128, 2048]]
    assert facts["update"]["kept"] == 2 * MIB
    assert facts["update"]["peak"] == 4 * MIB + 8 * MIB


def test_sparse_matrices(on_dry_gpu, dry_gpu_folder):
    # PyTorch multiplies block-sparse matrices with Triton, which links the driver's file.
    facts = on_dry_gpu("sparse.py", environment={"TRITON_LIBCUDA_PATH": str(dry_gpu_folder)})
    assert facts["messages"] == []
    assert {name: fact["shapes"] if isinstance(fact, dict) and "shapes" in fact else fact for name, fact in facts.items() if name != "messages"} == {
        "coo by dense": [[512, 64]],
        "csr by dense": [[512, 64]],
        "csc by dense": [[512, 64]],
        "bsr by dense": [[512, 64]],
        "coo by vector": [[512]],
        "csr by vector": [[512]],
        "csr by dense in half": [[512, 64]],
        "sampled": [[513], [2048], [2048]],
        # The product's entries are determined on the device, so none are known.
        "csr by csr": [[257], [0], [0]],
        # A sum has at least as many entries as each of its terms.
        "csr plus csr": [[257], [2048], [2048]],
        "solve by csr": [[256, 64]],
        "solve by csr for one": [[256, 1]],
        "solve by bsr": [[256, 64]],
        "csr to dense": [[512, 256]],
        "coo to csr": [[513], [2048], [2048]],
        "dense to csr": [[257], [0], [0]],
        "coo coalesced": [[2, 0], [0]],
        "backward": [[256, 64]],
        # Half of the values, and two bits for each of those: 9/16 of halves, 10/16 of bytes.
        "half structured": [[128, 144]],
        "half structured, bytes": [[128, 160]],
        "by half structured": [[64, 128]],
        "search": [[1]],
    }
    assert facts["half structured"]["kept"] == 128 * 256 * 2 * 9 // 16
    assert facts["half structured, bytes"]["kept"] == 128 * 256 * 10 // 16
    assert facts["csr by dense"]["kept"] == 512 * 64 * 4


def test_transforms(on_dry_gpu):
    facts = on_dry_gpu("fft.py")
    assert facts["messages"] == []
    signals = [64, 4096]
    assert {name: fact["shapes"] for name, fact in facts.items() if name != "messages"} == {
        "fft": [signals],
        "fft of real numbers": [signals],
        "ifft": [signals],
        "rfft": [[64, 2049]],
        "irfft": [[64, 8190]],
        "rfft2": [[8, 3, 96, 41]],
        "irfft2": [[8, 3, 96, 80]],
        "fftn": [[8, 3, 96, 80]],
        "rfft in double": [[64, 2049]],
        "rfft in half": [[64, 2049]],
        "fft in half": [signals],
        "hfft": [[64, 8190]],
        "stft": [[64, 257, 33]],
        "backward of rfft": [signals],
        "backward of rfft and irfft": [signals],
        "backward of fftn": [signals],
    }
    # Complex results of 8 bytes; half of that in half precision.
    assert (facts["rfft"]["kept"], facts["rfft"]["peak"]) == (64 * 2049 * 8, 64 * 2049 * 8)
    assert facts["rfft in half"]["kept"] == 64 * 2049 * 4 + 256, "which the allocator rounds up to whole 512 bytes"
    # A transform to real numbers overwrites its input, so the input is copied. 8,190 is no power of
    # two: the values are made in a work area from half as many complex ones.
    assert (facts["irfft"]["kept"], facts["irfft"]["peak"]) == (64 * 8190 * 4, 64 * 8190 * 4 + 64 * 4096 * 8 + 64 * 4095 * 8)
