"""Symptoms of PTO4xx: what happens when a kernel runs."""

TABLE = """
PTO401: output has garbage or undefined values in the tail, length is not a multiple of the block
PTO401: last block is wrong, padding rows reach the output, valid_shape is missing
PTO401: 长度不能整除块大小时，最后一块的结果是随机值或垃圾
PTO401: 尾块没有设 valid_shape，输出末尾不对
PTO402: loop bound or index is read from an element that was never written
PTO403: on this run no iteration wrote the tensor, zero iterations, empty address
PTO403: 循环一次都没执行，张量没有被写过
PTO406: divide by zero in an index expression when the kernel runs
PTO406: 下标计算时除数为零
PTO408: reading one element of a tensor beyond its end
PTO409: value does not fit into int8 or int32
PTO410: local tensor made by pypto.Tensor is used before it was initialised, it has no producer
PTO410: temporary buffer read before write, needs zeros or full first
PTO410: 局部 tensor 声明之后没有写就使用，没有初始化
PTO411: kernel computes but writes none of its parameters
PTO411: kernel 没有写任何输出参数
PTO412: output is all zeros or unchanged, no error; out = ... rebinds the name instead of writing out[:] = ...
PTO412: result is not written back to the caller, output tensor keeps its initial value
PTO412: kernel runs without error but output does not change
PTO412: nothing arrives in the output, everything is zero
PTO412: 输出全为 0 或者没有变化，也不报错；应该写 out[:] = ...
PTO412: 结果没有写回输出张量，输出还是初始值
PTO412: 跑完没报错，输出不变
PTO413: parameter of the kernel is never used
PTO414: write into a clone or slice copy does not reach the original
PTO431: padding or uninitialised elements are added into a sum
PTO432: two operands with different valid_shape on this run
PTO442: MemoryError, host has not enough memory for a local tensor, cannot allocate
PTO442: 主机内存不足，张量分配失败
PTO443: warning that the kernel runs on the slow reference engine
PTO444: llvmlite is missing, native engine not available
PTO444: 没有安装 llvmlite
PTO450: view begins before the start of the tensor, offset below zero
PTO450: view 的偏移是负数
PTO451: valid_shape of the last block goes past the end of the source
PTO452: assemble or slice store goes over the end of the output, last block overruns the buffer
PTO452: 写入位置超出输出张量的范围，尾块越界写
PTO453: slice and value have different length at run time
PTO454: index tensor, block table or page table has an index out of range, gather beyond the table
PTO454: 索引张量或 block table 里的值越界
PTO461: iterations of a parallel loop write the same elements, data race, result depends on threads
PTO461: parallel=True 的循环结果不确定，各次迭代写到同一位置
PTO463: reshape with a dynamic number of elements fails at run time
PTO465: softmax, mean, var or topk over an axis that valid_shape cuts
PTO465: 被 valid_shape 截断的轴上做 softmax
PTO466: topk with k larger than the number of valid elements
PTO467: one_hot class too large
PTO468: slot mapping or page index of a paged cache out of range
PTO470: distributed operation without a launch of ranks
PTO472: ranks are blocked forever, signal that nobody sends, distributed kernel hangs
PTO472: 多个 rank 互相等信号，通信卡住
PTO473: one rank stops because another rank failed
PTO474: ranks create shared memory of different shapes
PTO476: two ranks read and write one window without a signal
PTO480: pass_verify_save with a placeholder $name and no value
PTO482: golden has another shape or number than the parameters
PTO483: set_verify_golden_data, verify reports FAIL, precision mismatch of the graph
PTO483: 精度校验结果不一致，VERIFY_RESULT_MISMATCH
PTO484: output folder cannot be created, no permission, TILE_FWK_OUTPUT_DIR
PTO484: 输出目录创建失败，没有权限
PTO401: rows beyond valid_shape are NaN or garbage in the output
PTO410: y[:] = x + t and t = pypto.Tensor(shape, dtype) was never written
PTO412: why is out = a + b inside of the kernel not visible outside
PTO412: output stays what torch.empty or torch.zeros gave it, y = pypto.exp(x)
PTO412: y = x + 1 之后外面的 y 没有变
PTO412: 在 kernel 里对输出做普通赋值，外面看不到
PTO431: padding outside of the valid region gets into a sum or a maximum
PTO431: 填充的无效元素被加进求和结果
PTO452: rows of the last block are stored beyond the number of rows of the destination
PTO452: 最后一块写出时超过了输出的行数
PTO461: two iterations of a parallel loop race for one tensor
PTO461: 并行循环存在数据竞争
PTO472: deadlock of ranks
PTO472: 多个 rank 死锁
PTO481: "set_verify_golden_data:"
PTO410: "read from an empty address"
PTO410: "WORKSPACE_ITER_INVALID"
PTO442: "MemoryError"
PTO401: last rows are NaN or nonsense when the length is no multiple of the block
PTO401: tail rows are wrong, 1000 rows with blocks of 128
PTO401: 行数不是块的倍数，最后几行是垃圾
PTO406: x // n where n is 0 at run time, modulo by zero
PTO406: 运行时整数除以零
PTO410: temporary buffer has no producer
PTO410: new tensor is read before it was filled
PTO410: 临时张量没有赋值就读
PTO412: result array is full of zeros afterwards
PTO412: output tensor is all zeros after the kernel was called
PTO412: output keeps the values it had before the call
PTO412: nothing is written to my output
PTO412: 输出没有被写入，还是原来填的值
PTO412: 结果全零，没有任何报错
PTO442: host runs out of memory
PTO442: 主机内存不够，分配失败
PTO452: store goes past the end in the last iteration
PTO452: writing more rows than the output has
PTO452: 最后一次迭代写越界
PTO454: entry of a block table or page table is too large
PTO454: 索引值大于表的长度
PTO461: threads overwrite rows of each other in a parallel loop
PTO461: 并行的迭代互相覆盖
PTO472: ranks wait for each other forever
PTO472: 各卡互相等待，一直卡住
PTO484: cannot write the dump folder
PTO401: 尾部几行出现 nan
PTO412: tensor that I hand in comes back untouched
PTO412: 调用之后打印输出，全是 0
PTO454: embedding lookup with a token id beyond the table
PTO454: token id 超过词表大小
PTO401: 最后不足一块的部分结果不对
PTO401: trailing elements are wrong, block of 64 and length 100
PTO406: mod by zero when the kernel runs
PTO410: scratch tensor has no value yet
PTO410: 局部张量没有赋初值
PTO412: output is what it was at allocation
PTO452: output has fewer rows than are stored
PTO406: mod by zero at run time
PTO412: first kernel finishes, the array that I filled before is the same when printed after the call
PTO412: do I have to copy the result back
PTO412: kernel 执行完，输出里还是初始化的内容，没有错误信息
PTO406: x // n with n = 0, mod by zero at runtime
PTO410: t = pypto.Tensor([32, 32], dtype) has never been written and is added to x
PTO411: kernel does a lot of math and writes none of its tensors
PTO452: output has 1000 rows and the last block writes up to row 1024
"""
