"""Symptoms of PTO5xx: signatures, arguments, comparison and tools."""

TABLE = """
PTO501: def kernel(...) -> None, arrow after the parameters
PTO501: kernel 函数写了 -> None 之类的返回类型
PTO502: def kernel(*tensors)
PTO503: def kernel(**options)
PTO504: parameters after a bare star
PTO506: number parameter before a tensor parameter, order of parameters
PTO506: 参数顺序：张量要放在前面，标量放后面
PTO507: tensor parameter with a default value
PTO508: from __future__ import annotations turns annotations into strings, tensors count as values
PTO508: future annotations 让注解变成字符串，张量参数被当成非张量
PTO510: parameter annotated as pypto.Tensor without shape and dtype
PTO511: called with fewer tensors than the kernel has, output tensor was not passed
PTO511: 调用时少传了输出张量
PTO512: called with too many arguments
PTO512: 传的参数太多
PTO513: keyword that the kernel does not have
PTO514: value without default is missing in the call
PTO514: 少传了标量参数
PTO515: tensor passed by keyword or for a parameter without annotation
PTO515: 参数没有注解，传入的张量被当作标量
PTO516: list, float or None given where a tensor is expected
PTO516: 传入的不是张量，是列表或数字
PTO517: transposed, sliced or strided tensor as an argument, call contiguous() first
PTO517: 转置或切片后的张量要先 contiguous
PTO518: cuda or npu tensor, tensor must be on the cpu here
PTO518: 传入了 cuda 张量
PTO520: complex or other dtype that has no counterpart
PTO521: 3-D tensor for a 2-D annotation
PTO521: 张量维数和声明的不同
PTO522: size of an axis is not the one in the annotation
PTO522: 传入张量的大小和声明的 shape 不同
PTO523: float32 tensor passed for a BF16 annotation, dtype of the argument differs from the declaration
PTO523: 传入张量的 dtype 和声明不一致
PTO525: two tensors share a named dimension and have different sizes
PTO525: 同名维度在两个张量里长度不同
PTO526: output array is not writable
PTO526: 输出数组是只读的，不能写
PTO527: input and output are overlapping slices of one tensor
PTO527: 输入输出内存有部分重叠
PTO530: output tensor has requires_grad, use torch.no_grad or detach
PTO530: 输出带 requires_grad
PTO531: annotation with an empty list, Tensor([], dtype)
PTO534: kernel calls another jit kernel, nested jit
PTO534: kernel 里调用另一个 jit kernel
PTO537: compared tensor was not written by the kernel, difference is exactly zero because golden is compared with golden
PTO537: 比较的不是 kernel 的输出，误差恒为 0
PTO538: values differ from torch or numpy by more than the tolerance, assert_close fails
PTO538: numbers are slightly wrong compared with the reference, precision problem
PTO538: 和 torch 结果对比误差大，精度对不上
PTO538: 部分元素超过容差，assert_close 失败
PTO590: vendor package and OpenPTO are installed into the same folder
PTO590: 厂商 pypto 和 OpenPTO 装在一起冲突
PTO591: import pypto takes the other implementation, two distributions named pypto
PTO591: 环境里有两个 pypto
PTO595: pypto ir or pypto lint of a file that is not there
PTO599: gym operator of this name does not exist
PTO523: dtype of an argument is not that of the annotation
PTO523: 实参的 dtype 与注解不同
PTO525: dimension N has different sizes in two inputs
PTO525: 同一个命名维度在两个输入里大小不同
PTO538: test fails, a percentage of elements differ, atol and rtol exceeded, max abs diff
PTO538: 测试失败，误差超过 atol rtol
PTO500: "is not a Python function"
PTO500: "Top level must be function definition"
PTO519: "must not be a DTensor"
PTO511: "input tensor(s), but"
PTO511: "Empty tensor list"
PTO518: "All input tensors must be on the same device"
PTO518: "Not npu device"
PTO516: "Expected a pypto.Tensor at inputs["
PTO502: 不定数量的张量参数 *args
PTO506: number before a tensor in the parameter list, tensors must be first
PTO506: 标量参数写在张量前面
PTO511: forgot to pass the output
PTO513: keyword argument is not known to the kernel
PTO514: scalar argument was not passed, call wants another value
PTO514: 忘记传标量参数
PTO516: plain list instead of an array, number instead of a tensor
PTO516: 传了列表
PTO517: strided view a[:, ::2] or transposed array as an input
PTO522: 输入大小和注解不一致
PTO525: one symbol gets two lengths
PTO525: 同一个符号有两个不同的长度
PTO526: output is a read-only numpy array, from broadcast_to or a frozen array
PTO526: 输出数组只读
PTO530: gradient is required for the output
PTO537: 误差恰好是 0，比较的可能不是 kernel 的结果
PTO538: error larger than allowed, third digit differs from torch
PTO538: mean error, relative error above the limit
PTO538: numbers are off by a little
PTO538: 跟 torch 的结果差一点，小数位不同
PTO538: 有一部分元素误差超限
PTO591: pip lists two packages called pypto
PTO591: 装了两个 pypto 包，用的是哪一个
PTO511: kernel was called without the output tensor
PTO517: permuted array as an input
PTO523: float64 array for an FP32 parameter
PTO506: scalars first, then tensors in the def line
PTO538: compared with the reference implementation the largest error is 0.02
PTO538: allclose is false
PTO538: 和参考实现比较，最大误差偏大
PTO506: int parameter in front of a tensor parameter
PTO514: required number is not supplied in the call
PTO516: tuple or list given where a tensor should be
PTO526: output is not writeable
PTO530: leaf tensor of autograd as an output
PTO538: off from numpy by a fraction of a percent
PTO538: golden 对不上，差千分之几
PTO298: only a CPU, no accelerator
PTO538: "Tensor-likes are not close!"
PTO538: "Mismatched elements:"
PTO538: "Not equal to tolerance"
PTO538: max diff compared with torch, order of accumulation
PTO538: 和 torch 比较有误差，max diff
PTO537: compare says identical to the last bit, is that plausible
PTO514: kernel is called without the number that it wants as well
"""
