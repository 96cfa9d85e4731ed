# SPDX-License-Identifier: Apache-2.0
"""cudnn_descriptors.py LIBRARY: the answers of cuDNN's descriptors without a device: statuses and
the results of their getters."""

import ctypes
import itertools
import json
import sys

library = ctypes.CDLL(sys.argv[1])
answers = {}


def ints(*values):
    return (ctypes.c_int * max(len(values), 1))(*values)


def made(name):
    descriptor = ctypes.c_void_p()
    assert getattr(library, f"cudnnCreate{name}Descriptor")(ctypes.byref(descriptor)) == 0
    return descriptor


def ask(function, *arguments, gives=()):
    """Keep a call's status and the values it wrote to `gives`; return whether it succeeded."""
    status = getattr(library, function)(*arguments, *(ctypes.byref(place) for place in gives))
    shown = [
        list(argument) if isinstance(argument, ctypes.Array) else argument
        for argument in arguments
        if not isinstance(argument, ctypes.c_void_p)
    ]
    written = [list(place) if isinstance(place, ctypes.Array) else place.value for place in gives]
    answers[f"{len(answers)} {function} {json.dumps(shown, default=str)}"] = [status, written]
    return status == 0


# The content of a descriptor after a failed set is undefined, so it is read only after a success.

TYPES = range(-1, 23)

# Names of statuses.
library.cudnnGetErrorString.restype = ctypes.c_char_p
answers["names"] = [library.cudnnGetErrorString(status).decode() for status in range(6000)]
for part in range(4):
    ask("cudnnGetProperty", part, gives=[ctypes.c_int(-1)])

tensor, sizes, strides = made("Tensor"), ints(2, 3, 4, 5, 1, 1, 1, 1, 1), ints(60, 20, 5, 1, 1, 1, 1, 1, 1)


def report_tensor(requested):
    outputs = [ctypes.c_int(-7), ctypes.c_int(-7), ints(*[-7] * 9), ints(*[-7] * 9)]
    ask("cudnnGetTensorNdDescriptor", tensor, requested, gives=outputs)
    ask("cudnnGetTensorSizeInBytes", tensor, gives=[ctypes.c_size_t()])


for dimensions in range(10):
    if ask("cudnnSetTensorNdDescriptor", tensor, 0, dimensions, sizes, strides):
        report_tensor(9)
for kind in TYPES:
    if ask("cudnnSetTensorNdDescriptor", tensor, kind, 4, sizes, strides):
        for requested in range(9):
            report_tensor(requested)
for wrong in ((0, 3, 4, 5), (2, -3, 4, 5)):
    ask("cudnnSetTensorNdDescriptor", tensor, 0, 4, ints(*wrong), strides)
for odd in ((60, 0, 5, 1), (100, 20, 5, 1)):
    if ask("cudnnSetTensorNdDescriptor", tensor, 0, 4, sizes, ints(*odd)):
        report_tensor(4)
for form in range(4):
    if ask("cudnnSetTensorNdDescriptorEx", tensor, form, 0, 5, ints(2, 3, 4, 5, 6)):
        report_tensor(5)
    if ask("cudnnSetTensor4dDescriptor", tensor, form, 2, 2, 3, 4, 5):
        report_tensor(4)

weights = made("Filter")
for dimensions, kind, form in itertools.chain(
    ((dimensions, 0, 0) for dimensions in range(10)), ((4, kind, 1) for kind in TYPES), ((4, 0, form) for form in range(4))
):
    if ask("cudnnSetFilterNdDescriptor", weights, kind, form, dimensions, sizes):
        ask("cudnnGetFilterSizeInBytes", weights, gives=[ctypes.c_size_t()])
        for requested in range(dimensions + 1):
            outputs = [*(ctypes.c_int(-7) for _ in range(3)), ints(*[-7] * 9)]
            ask("cudnnGetFilterNdDescriptor", weights, requested, gives=outputs)

convolution, ones, twos = made("Convolution"), ints(*[1] * 9), ints(*[2] * 9)


def report_convolution(requested):
    outputs = [ctypes.c_int(-7), *(ints(*[-7] * 9) for _ in range(3)), ctypes.c_int(-7), ctypes.c_int(-7)]
    ask("cudnnGetConvolutionNdDescriptor", convolution, requested, gives=outputs)
    ask("cudnnGetConvolutionGroupCount", convolution, gives=[ctypes.c_int(-7)])
    ask("cudnnGetConvolutionMathType", convolution, gives=[ctypes.c_int(-7)])


report_convolution(2)
for dimensions in range(9):
    if ask("cudnnSetConvolutionNdDescriptor", convolution, dimensions, ones, twos, ones, 1, 0):
        report_convolution(dimensions)
for kind in TYPES:
    ask("cudnnSetConvolutionNdDescriptor", convolution, 2, ones, twos, ones, 1, kind)
for padding, stride, dilation, mode in ((-1, 1, 1, 1), (0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 7), (3, 2, 1, 0)):
    values = ints(padding, 0), ints(stride, 1), ints(dilation, 1)
    if ask("cudnnSetConvolutionNdDescriptor", convolution, 2, *values, mode, 0):
        report_convolution(5)
for number in range(-1, 6):
    ask("cudnnSetConvolutionGroupCount", convolution, number)
    ask("cudnnSetConvolutionMathType", convolution, number)
    report_convolution(2)
library.cudnnSetConvolutionGroupCount(convolution, 1)
for image, window, padding, stride, dilation in itertools.product(
    ((2, 3, 16, 17), (2, 6, 9, 9)), ((4, 3, 3, 3), (4, 3, 9, 20)), (0, 2), (1, 3), (1, 2)
):
    library.cudnnSetTensorNdDescriptorEx(tensor, 0, 0, 4, ints(*image))
    library.cudnnSetFilterNdDescriptor(weights, 0, 0, 4, ints(*window))
    library.cudnnSetConvolutionNdDescriptor(convolution, 2, ints(padding, 1), ints(stride, 1), ints(dilation, 1), 1, 0)
    for groups in (1, 2):
        library.cudnnSetConvolutionGroupCount(convolution, groups)
        shape = ints(*[-7] * 4)
        status = library.cudnnGetConvolutionNdForwardOutputDim(convolution, tensor, weights, 4, shape)
        case = f"output of {image} {window} {padding} {stride} {dilation} {groups}"
        answers[case] = [status, list(shape) if status == 0 else []]

activation = made("Activation")
for mode, nan in itertools.product(range(-1, 9), range(-1, 3)):
    if ask("cudnnSetActivationDescriptor", activation, mode, nan, ctypes.c_double(3.5)):
        outputs = [ctypes.c_int(-7), ctypes.c_int(-7), ctypes.c_double()]
        ask("cudnnGetActivationDescriptor", activation, gives=outputs)

pooling = made("Pooling")
WINDOWS = ((3, 3, 1, 1, 2, 2), (3, 2, 1, 0, 1, 2), (0, 3, 1, 1, 2, 2), (3, 3, 1, 1, 0, 2))
for mode, nan, window in itertools.product(range(-1, 5), range(-1, 3), WINDOWS):
    if ask("cudnnSetPooling2dDescriptor", pooling, mode, nan, *window):
        ask("cudnnGetPooling2dDescriptor", pooling, gives=[ctypes.c_int(-7) for _ in range(8)])

transformer = made("SpatialTransformer")
for sampler, kind in itertools.product((0, 1), TYPES):
    ask("cudnnSetSpatialTransformerNdDescriptor", transformer, sampler, kind, 4, sizes)

loss = made("CTCLoss")
for kind, normalization, gradient in itertools.product(TYPES, (0, 1), (0, 1)):
    if ask("cudnnSetCTCLossDescriptor_v9", loss, kind, normalization, gradient, 10 + gradient):
        ask("cudnnGetCTCLossDescriptor_v9", loss, gives=[ctypes.c_int(-7) for _ in range(4)])
    if ask("cudnnSetCTCLossDescriptorEx", loss, kind, normalization, gradient):
        ask("cudnnGetCTCLossDescriptorEx", loss, gives=[ctypes.c_int(-7) for _ in range(3)])
        ask("cudnnGetCTCLossDescriptor_v9", loss, gives=[ctypes.c_int(-7) for _ in range(4)])

network, dropout = made("RNN"), made("Dropout")
PLAIN = (0, 2, 2, 1, 0, 0, 0, 0, 10, 20, 20, 2, 1)


def set_network(*values):
    if not ask("cudnnSetRNNDescriptor_v8", network, *values[:12], dropout, values[12]):
        return
    outputs = [*(ctypes.c_int(-7) for _ in range(12)), ctypes.c_void_p(), ctypes.c_int(-7)]
    status = library.cudnnGetRNNDescriptor_v8(network, *(ctypes.byref(place) for place in outputs))
    answers[f"network after {values}"] = [status, [place.value for place in outputs if place is not outputs[12]]]


set_network(*PLAIN)
for place, value in itertools.product(range(13), range(-1, 5)):
    set_network(*PLAIN[:place], value, *PLAIN[place + 1 :])
for kind, precision in itertools.product(TYPES, TYPES):
    set_network(*PLAIN[:5], kind, precision, *PLAIN[7:])
for algorithm, cell, projection in itertools.product(range(4), range(4), (0, 8, 21)):
    set_network(algorithm, cell, *PLAIN[2:10], projection, *PLAIN[11:])

data, lengths = made("RNNData"), (7, 7, 5, 3)


def set_data(kind, layout, longest, batch, size, lengths):
    padding, kept, kept_padding = ctypes.c_double(2.5), ints(*[-7] * 5), ctypes.c_double(-7)
    values = kind, layout, longest, batch, size, ints(*lengths)
    if not ask("cudnnSetRNNDataDescriptor", data, *values, ctypes.c_void_p(ctypes.addressof(padding))):
        return
    outputs = [ctypes.c_int(-7) for _ in range(5)]
    places = [ctypes.byref(place) for place in outputs]
    status = library.cudnnGetRNNDataDescriptor(data, *places, 3, kept, ctypes.byref(kept_padding))
    answers[f"data {len(answers)}"] = [status, [place.value for place in outputs], list(kept), kept_padding.value]


for kind in TYPES:
    set_data(kind, 0, 7, 4, 10, lengths)
for layout in range(-1, 4):
    set_data(0, layout, 7, 4, 10, lengths)
    set_data(0, layout, 7, 4, 10, lengths[::-1])
for values in ((0, 4, 10), (7, 0, 10), (7, 4, 0), (6, 4, 10)):
    set_data(0, 0, *values, lengths)
for length in (-1, 0):
    set_data(0, 0, 7, 4, 10, (7, 7, 5, length))

# The graph interface.
DATA_TYPE, INT64, DESCRIPTOR = 1, 3, 15


def make_backend(kind):
    descriptor = ctypes.c_void_p()
    status = library.cudnnBackendCreateDescriptor(kind, ctypes.byref(descriptor))
    return status, descriptor


def set_attribute(descriptor, name, kind, count, elements):
    function = library.cudnnBackendSetAttribute
    answers[f"{len(answers)} set {name} {kind} {count}"] = function(descriptor, name, kind, ctypes.c_int64(count), elements)


def get_attribute(descriptor, name, kind, requested, elements):
    count = ctypes.c_int64(-7)
    function = library.cudnnBackendGetAttribute
    status = function(descriptor, name, kind, ctypes.c_int64(requested), ctypes.byref(count), elements)
    answers[f"{len(answers)} get {name} {kind} {requested}"] = [status, count.value, list(elements) if elements else None]


answers["creatable"] = [make_backend(kind)[0] for kind in range(-1, 46)]
shape = make_backend(17)[1]
four, one_type, one_number = (ctypes.c_int64 * 4)(2, 3, 4, 5), (ctypes.c_int * 1)(2), (ctypes.c_int64 * 1)(120)
answers["empty"] = library.cudnnBackendFinalize(shape)
get_attribute(shape, 906, INT64, 1, (ctypes.c_int64 * 1)(-7))
for name, kind, count, elements in (
    (901, DATA_TYPE, 1, one_type),
    (901, INT64, 1, one_number),
    (902, INT64, 4, four),
    (903, INT64, 4, four),
    (906, INT64, 1, one_number),
    (900, INT64, 1, one_number),
    (906, INT64, 1, None),
    (906, INT64, 0, one_number),
    (200, 8, 1, one_type),
    (1000, INT64, 1, one_number),
):
    set_attribute(shape, name, kind, count, elements)
answers["complete"] = library.cudnnBackendFinalize(shape)
answers["again"] = library.cudnnBackendFinalize(shape)
set_attribute(shape, 906, INT64, 1, one_number)
for requested in range(6):
    get_attribute(shape, 902, INT64, requested, (ctypes.c_int64 * 6)(*[-7] * 6))
for name, kind in ((902, 23), (901, DATA_TYPE), (906, INT64), (200, 8)):
    get_attribute(shape, name, kind, 1, (ctypes.c_int64 * 1)(-7 << 32))
get_attribute(shape, 902, INT64, 0, None)
for kind in (4, 15, 16):
    answers[f"empty {kind}"] = library.cudnnBackendFinalize(make_backend(kind)[1])
pack, pointers = make_backend(16)[1], (ctypes.c_void_p * 2)(None, 512)
set_attribute(pack, 1000, INT64, 2, (ctypes.c_int64 * 2)(1, 2))
set_attribute(pack, 1001, 6, 2, pointers)
answers["pack"] = library.cudnnBackendFinalize(pack)

# Null pointers where a value is required.
answers["null"] = [
    library.cudnnCreate(None),
    library.cudnnDestroy(None),
    library.cudnnSetStream(None, None),
    library.cudnnCreateTensorDescriptor(None),
    library.cudnnDestroyTensorDescriptor(None),
    library.cudnnSetTensorNdDescriptor(None, 0, 4, sizes, strides),
    library.cudnnDropoutGetStatesSize(None, ctypes.byref(ctypes.c_size_t())),
    library.cudnnGetRNNWeightSpaceSize(None, network, ctypes.byref(ctypes.c_size_t())),
    library.cudnnBackendFinalize(None),
    library.cudnnBackendDestroyDescriptor(None),
    library.cudnnBackendSetAttribute(None, 906, INT64, ctypes.c_int64(1), one_number),
]
print(json.dumps(answers))
