# SPDX-License-Identifier: Apache-2.0
# What torchao registers as torchao::NAME, in TorchScript, with the same results. Tensors are quantised in blocks: of
# each axis, `block_size` elements share a scale.


def split(block_size: List[int], size: List[int]) -> List[int]:
    # Axes of blocks, each with an axis of its elements if it has several blocks of several elements.
    out: List[int] = []
    for i in range(len(block_size)):
        if block_size[i] > 1 and block_size[i] != size[i]:
            out.append(size[i] // block_size[i])
            out.append(block_size[i])
        else:
            out.append(size[i])
    return out


def within(block_size: List[int], size: List[int]) -> List[int]:
    # The axes of `split` that share a scale.
    out: List[int] = []
    at = 0
    for i in range(len(block_size)):
        if block_size[i] > 1 and block_size[i] != size[i]:
            out.append(at + 1)
            at += 2
        else:
            if block_size[i] != 1:
                out.append(at)
            at += 1
    return out


def of_scales(block_size: List[int], size: List[int]) -> List[int]:
    out = split(block_size, size)
    for axis in within(block_size, size):
        out[axis] = 1
    return out


def lowest(quant_min: Optional[int], dtype: int) -> int:
    if quant_min is not None:
        return quant_min
    return 0 if dtype == torch.uint8 else -128


def highest(quant_max: Optional[int], dtype: int) -> int:
    if quant_max is not None:
        return quant_max
    return 255 if dtype == torch.uint8 else 127


def quantize_affine(input: Tensor, block_size: List[int], scale: Tensor, zero_point: Optional[Tensor], output_dtype: int, quant_min: Optional[int], quant_max: Optional[int]) -> Tensor:
    size = input.size()
    shape = of_scales(block_size, size)
    rounded = torch.round(input.view(split(block_size, size)) * (1.0 / scale.view(shape)))
    if zero_point is not None:
        rounded = rounded + zero_point.view(shape)
    least, most = lowest(quant_min, output_dtype), highest(quant_max, output_dtype)
    return torch.clamp(rounded, least, most).view(size).to(output_dtype)


def dequantize_affine(input: Tensor, block_size: List[int], scale: Tensor, zero_point: Optional[Tensor], input_dtype: int, quant_min: Optional[int], quant_max: Optional[int], output_dtype: Optional[int]) -> Tensor:
    size = input.size()
    shape = of_scales(block_size, size)
    dtype = torch.float32 if output_dtype is None else output_dtype
    result = input.view(split(block_size, size)).to(dtype)
    if zero_point is not None:
        result = result - zero_point.view(shape).to(dtype)
    return (result * scale.view(shape)).view(size).to(dtype)


def choose_qparams_affine(input: Tensor, mapping_type: str, block_size: List[int], target_dtype: int, quant_min: Optional[int], quant_max: Optional[int], eps: Optional[float], scale_dtype: Optional[int], zero_point_dtype: Optional[int], keepdim: Optional[bool]) -> Tuple[Tensor, Tensor]:
    size = input.size()
    least, most = lowest(quant_min, target_dtype), highest(quant_max, target_dtype)
    smallest = eps if eps is not None else (6.103515625e-05 if input.dtype == torch.float16 else 1.1754943508222875e-38)
    keep = keepdim is not None and keepdim
    blocks = input.view(split(block_size, size))
    axes = within(block_size, size)
    low = torch.clamp_max(torch.amin(blocks, axes, keep), 0)
    high = torch.clamp_min(torch.amax(blocks, axes, keep), 0)
    if mapping_type == "ASYMMETRIC":
        scale = torch.clamp((high - low) / float(most - least), min=smallest)
        zero_point = torch.clamp(least - torch.round(low / scale), least, most)
    else:
        if mapping_type == "SYMMETRIC":
            scale = torch.max(-low, high) / (float(most - least) / 2)
        else:
            below = low / float(least)
            above = high / float(most)
            scale = torch.where(below > above, below, above)
        zero_point = torch.full_like(scale, int((most + least + 1) / 2))
        scale = torch.clamp(scale, min=smallest)
    if keep:
        shape: List[int] = []
        for i in range(len(block_size)):
            shape.append(size[i] if block_size[i] == 1 else size[i] // block_size[i])
        scale = scale.reshape(shape)
        zero_point = zero_point.reshape(shape)
    if scale_dtype is not None:
        scale = scale.to(scale_dtype)
    if zero_point_dtype is not None:
        return scale, zero_point.to(zero_point_dtype)
    return scale, zero_point.to(torch.int32) if mapping_type == "ASYMMETRIC" else zero_point
