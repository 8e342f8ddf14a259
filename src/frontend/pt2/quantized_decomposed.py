# SPDX-License-Identifier: Apache-2.0
# What torch's Python registers as quantized_decomposed::NAME.OVERLOAD, in TorchScript: NAME__OVERLOAD. The results are
# the same, bit by bit; the checks of ranges and dtypes are left out.


def quantize_per_tensor(input: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: int) -> Tensor:
    inverse = 1.0 / scale
    return torch.clamp(torch.round(input.to(torch.float32) * inverse) + zero_point, quant_min, quant_max).to(dtype)


def quantize_per_tensor__tensor(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, dtype: int) -> Tensor:
    # A Python number keeps the dtype of the tensor that it multiplies; so does a tensor of rank 0 with the same kind.
    inverse = (1.0 / scale.to(torch.float64)).reshape([])
    rounded = torch.round(input.to(torch.float32) * inverse)
    return torch.clamp(rounded + zero_point.reshape([]), quant_min, quant_max).to(dtype)


def quantize_per_tensor__tensor2(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: Tensor, quant_max: Tensor, dtype: int) -> Tensor:
    inverse = (1.0 / scale.to(torch.float64)).reshape([])
    rounded = torch.round(input.to(torch.float32) * inverse)
    return torch.clamp(rounded + zero_point.reshape([]), quant_min.reshape([]), quant_max.reshape([])).to(dtype)


def dequantize_per_tensor(input: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: int, out_dtype: Optional[int]) -> Tensor:
    return (input.to(torch.float32 if out_dtype is None else out_dtype) - zero_point) * scale


def dequantize_per_tensor__tensor(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, dtype: int, out_dtype: Optional[int]) -> Tensor:
    wide = input.to(torch.float32 if out_dtype is None else out_dtype)
    return (wide - zero_point.reshape([])) * scale.to(torch.float64).reshape([])


def dequantize_per_tensor__tensor2(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: Tensor, quant_max: Tensor, dtype: int, out_dtype: Optional[int]) -> Tensor:
    wide = input.to(torch.float32 if out_dtype is None else out_dtype)
    return (wide - zero_point.reshape([])) * scale.to(torch.float64).reshape([])


def choose_qparams__tensor(input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: int) -> Tuple[Tensor, Tensor]:
    lowest = torch.clamp_max(torch.amin(input), 0)
    highest = torch.clamp_min(torch.amax(input), 0)
    least = torch.full([1], eps, dtype=torch.float32)
    scale = torch.max((highest - lowest) / float(quant_max - quant_min), least)
    zero_point = torch.clamp(quant_min - torch.round(lowest / scale).to(torch.int32), quant_min, quant_max)
    return scale.to(torch.float64), zero_point.to(torch.int64)


def choose_qparams_symmetric__tensor(input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: int) -> Tuple[Tensor, Tensor]:
    lowest = torch.clamp_max(torch.amin(input), 0)
    highest = torch.clamp_min(torch.amax(input), 0)
    least = torch.full([1], eps, dtype=torch.float32)
    scale = torch.max(torch.max(-lowest, highest) / (float(quant_max - quant_min) / 2), least)
    zero_point = torch.full([1], 128 if dtype == torch.uint8 else 0, dtype=torch.int64)
    return scale.to(torch.float64), zero_point


def quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, quant_min: int, quant_max: int, dtype: int) -> Tensor:
    shape = [1 for _ in range(input.dim())]
    shape[axis] = scales.size(0)
    rounded = torch.round(input.to(torch.float32) * (1.0 / scales.view(shape)))
    return torch.clamp(rounded + zero_points.view(shape), quant_min, quant_max).to(dtype)


def dequantize_per_channel(input: Tensor, scales: Tensor, zero_points: Optional[Tensor], axis: int, quant_min: int, quant_max: int, dtype: int, out_dtype: Optional[int]) -> Tensor:
    shape = [1 for _ in range(input.dim())]
    shape[axis] = scales.size(0)
    if zero_points is not None:
        result = (input - zero_points.view(shape)) * scales.view(shape)
    else:
        result = input * scales.view(shape)
    return result.to(torch.float32 if out_dtype is None else out_dtype)


def choose_qparams_per_token(input: Tensor, dtype: int) -> Tuple[Tensor, Tensor]:
    scales = input.abs().amax([-1], True)
    if scales.dtype == torch.float16:
        scales = scales.float()
    scales = scales.clamp(min=1e-5).div(127)
    return scales, torch.zeros_like(scales)


def choose_qparams_per_token_asymmetric(input: Tensor, dtype: int) -> Tuple[Tensor, Tensor]:
    lowest = torch.clamp_max(torch.amin(input, [-1], True), 0)
    highest = torch.clamp_min(torch.amax(input, [-1], True), 0)
    scale = ((highest - lowest) / 255.0).clamp(min=1.1920928955078125e-07)
    low = lowest / scale
    high = highest / scale
    zero_point = torch.where((-128 + low) + (127 + high) > 0, -128 - low, 127 - high)
    return scale.to(torch.float64), torch.clamp(zero_point, -128, 127).round().to(torch.int64)


def _choose_qparams_per_token_asymmetric_impl(input: Tensor, dtype: int) -> Tuple[Tensor, Tensor]:
    return choose_qparams_per_token_asymmetric(input, dtype)


def quantize_per_token(input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: int) -> Tensor:
    return input.mul(1.0 / scales).add(zero_points).round().clamp(quant_min, quant_max).to(dtype)


def dequantize_per_token(input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: int, output_dtype: int) -> Tensor:
    return ((input - zero_points) * scales).to(output_dtype)


def quantize_per_channel_group(input: Tensor, scales: Tensor, zero_points: Tensor, quant_min: int, quant_max: int, dtype: int, group_size: int) -> Tensor:
    group = input.size(-1) if group_size > input.size(-1) and scales.size(-1) == 1 else group_size
    groups = input.reshape([-1, group])
    scaled = groups.mul(1.0 / scales.reshape([-1, 1])).add(zero_points.reshape([-1, 1]))
    return scaled.round().clamp(quant_min, quant_max).to(dtype).reshape(input.size())


def dequantize_per_channel_group(input: Tensor, scales: Tensor, zero_points: Optional[Tensor], quant_min: int, quant_max: int, dtype: int, group_size: int, output_dtype: int) -> Tensor:
    group = input.size(-1) if group_size > input.size(-1) and scales.size(-1) == 1 else group_size
    groups = input.reshape([-1, group])
    if zero_points is not None:
        centred = groups.sub(zero_points.reshape([-1, 1]))
    else:
        centred = groups.sub(torch.zeros([], dtype=torch.int32))
    return centred.mul(scales.reshape([-1, 1])).reshape(input.size()).to(output_dtype)


def fake_quant_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, quant_min: int, quant_max: int) -> Tensor:
    shape = [1 for _ in range(input.dim())]
    shape[axis] = scales.size(0)
    steps = scales.to(torch.float32).reshape(shape)
    zeros = zero_points.to(torch.int32).reshape(shape)
    integers = torch.clamp(torch.round(input * (1.0 / steps)) + zeros, quant_min, quant_max)
    return (integers - zeros) * steps


def convert_element_type__no_fuse(input: Tensor, dtype: int) -> Tensor:
    return input.to(dtype)
