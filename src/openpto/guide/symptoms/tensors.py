"""Symptoms of PTO2xx: symbols, tensors, operations and options."""

TABLE = """
PTO200: value is only known at run time but a number is needed now
PTO200: 需要具体数值，但是拿到的是符号
PTO201: loop bound is range(...), a float, a list or a string
PTO201: loop bounds or a shape contain a float
PTO201: pypto.loop 的参数不是整数，传了浮点数或列表或 range
PTO201: shape 里有小数
PTO202: integer division by zero or modulo zero in index arithmetic
PTO208: pypto.loop with no bound, four bounds or start= as a keyword
PTO208: pypto.loop 参数个数不对
PTO209: is_loop_begin of an expression instead of the loop variable itself
PTO209: is_loop_begin 的参数不是循环变量本身
PTO210: pypto.loop used outside of a kernel or not in a for statement
PTO211: loop with step 0
PTO212: unroll_list with zero or a negative factor
PTO219: AttributeError, no such function in pypto, name of the API is misspelled
PTO219: .T of an intermediate tensor does not exist, how to transpose
PTO219: pypto 没有这个接口，函数名写错，AttributeError
PTO219: 张量没有这个属性或方法，转置 .T
PTO220: pypto operation is called on the host, outside of a jit function
PTO220: 在 kernel 外面直接调用 pypto.add
PTO222: wrong keyword or wrong order of arguments of an operation, TypeError unexpected keyword argument
PTO222: Element has dtype first, then the value; incompatible constructor arguments
PTO222: zeros, full, topk, rms_norm, cast called with the wrong arguments
PTO222: 操作的参数名或顺序不对，关键字参数不存在
PTO222: zeros ones full 的 dtype 要用关键字传
PTO223: first operand of mul, add, sub or div is a number instead of a tensor
PTO223: 第一个操作数是标量而不是张量
PTO224: dynamic tensor with -1 in its shape goes straight into add, exp or another operation without view in a loop
PTO224: DYNAMIC axis and elementwise operation without pypto.loop
PTO224: 动态维度的张量直接做运算，没有在 loop 里用 view 取定长窗口
PTO224: 输入是 DYNAMIC，直接加减乘除或 exp 报错
PTO225: tensor plus None, a string, a list, a numpy array or a torch tensor
PTO225: 张量和 None、列表、字符串、numpy 数组相加
PTO226: tensor times loop index, adding a symbolic scalar to a tensor
PTO226: 张量乘以循环下标
PTO227: integer tensor with a Python float, int32 times 0.5
PTO227: 整数张量加减浮点数
PTO228: adding or multiplying tensors of two dtypes, FP16 with FP32, need a cast
PTO228: float16 和 float32 张量混合运算，需要先 cast
PTO228: 两个操作数数据类型不一致
PTO229: broadcast not possible, two shapes do not fit, only axes of 1 are stretched
PTO229: 两个形状不能广播相加，维度大小不一致
PTO230: 2-D and 3-D tensor in one operation
PTO230: 维数不同的张量一起运算
PTO231: operation does not work on int64, bool or this data type
PTO231: 这个操作不支持 int64 类型
PTO232: 5-D tensor, too many axes for the operation
PTO233: reduction over an axis that the tensor does not have, dim too large
PTO233: 求和的轴超出张量维数，dim 越界
PTO234: slice whose length is symbolic, x[i*8:, :] or x[0:i, :]
PTO234: shape of a view contains a symbol; it must be static
PTO234: index with a symbol, Cannot convert symbols to int
PTO234: 切片的长度是符号，view 的 shape 里有符号
PTO234: 用符号做下标切片，转不成 int
PTO235: negative extent, zero extent or too many elements in a shape
PTO235: shape 里有负数或者 0
PTO236: view with two extents and four offsets, length of shape and offsets differ, pad with ones
PTO236: a 2-D window of a 4-D tensor needs four extents and four offsets, then a reshape
PTO236: view 的 shape、offsets 和张量维数要一样多，用 1 补齐
PTO236: offsets 的个数和 shape 的个数不同
PTO237: valid_shape is larger than the window or has -1
PTO237: valid_shape 超过了 view 的大小
PTO238: tensor indexed with a float, a list or a boolean mask
PTO238: 用列表或浮点数索引张量
PTO240: three indices for a tensor of two axes
PTO240: 下标个数比维数多
PTO241: slice with a step, every second row x[::2]
PTO241: 切片带步长，隔一行取
PTO242: index beyond the end of a static axis, IndexError
PTO242: 下标超过了静态维度的大小，索引越界
PTO243: y[3] = two dimensional value
PTO244: slice on the left is longer or shorter than the value that is stored
PTO244: 写入切片的长度和值的长度不一样
PTO246: assigning a number, list or torch tensor with y[:] =
PTO246: 用 y[:] = 赋一个数字或列表
PTO247: storing FP32 into a BF16 output, dtype of assemble differs
PTO247: 写回输出时类型不一样，fp32 写到 bf16
PTO248: assemble a 2-D result into a 4-D output
PTO248: assemble 时源和目的维数不一样
PTO249: assemble with too few offsets
PTO252: out[:] = value of another shape
PTO253: number of elements before and after a reshape is not the same, reshape to [1] to pick one element
PTO253: reshape 元素个数不一致，总数对不上
PTO254: reshape with two -1
PTO254: reshape 里写了两个 -1
PTO255: reshape to a dynamic size, x.shape[0] in the target
PTO255: reshape 的目标里有动态维
PTO256: scalar read from a floating point tensor, only integers can be indices or loop bounds
PTO256: 从浮点张量读标量做下标或循环次数
PTO257: a, b = tensor; for row in tensor; unpacking the tensor instead of its shape
PTO257: 对张量做解包或 for 遍历，应该用 x.shape
PTO258: len(x), float(x), hash, in, or another Python protocol on a tensor
PTO258: 对张量用 len() 或 float()
PTO259: if tensor, truth value of a tensor as a condition, bool(x)
PTO259: 直接用张量做 if 条件
PTO262: gather or scatter with an index of int16 or float
PTO262: 索引张量要用 int32 或 int64
PTO265: cast from bool to float, cast that the hardware does not have
PTO265: bool 转浮点的 cast 不支持，用 where
PTO266: where with fp16 and fp32 branches
PTO267: where with a condition that is not bool
PTO269: pypto.Tensor with a wrong shape argument
PTO270: matmul of a vector, one-dimensional operand or 5-D operand, matrix product needs 2 to 4 axes
PTO270: matmul 的输入是一维向量
PTO271: matmul on a tensor with a DYNAMIC axis, dimension -1
PTO271: 矩阵乘的操作数有动态维度，要先 view
PTO272: matmul of FP16 and FP32, both operands need one dtype
PTO272: 矩阵乘左右两个矩阵数据类型不同
PTO273: out_dtype of matmul is not possible for these operands
PTO273: matmul 的输出类型不支持
PTO274: columns of the first matrix and rows of the second differ, matrix product, transpose flag is missing
PTO274: 矩阵乘 K 不一致，左边的列数不等于右边的行数
PTO275: bias, scale or relu of a matmul are not possible, split-k with relu
PTO276: NZ format output of matmul
PTO278: batch sizes of a batched matmul differ
PTO278: batch 矩阵乘的 batch 不一致
PTO279: very long K or last axis of a matrix beyond 65535
PTO279: 矩阵的最后一维太长，超过 65535
PTO280: option key does not exist, misspelled runtime option
PTO280: runtime_options 里的键不存在
PTO282: option has the wrong type, string instead of int, std::bad_cast
PTO282: 选项的类型不对
PTO283: option value out of range
PTO283: 选项的取值超范围
PTO285: set_vec_tile_shapes with a list instead of separate numbers
PTO285: set_vec_tile_shapes 传了列表
PTO286: tile size taken from x.shape, dynamic batch as a tile, tile must be a number
PTO286: tile value from a symbolic or dynamic dimension
PTO286: tile 用了动态维度或 x.shape 的值，要用常量
PTO287: cube tile with one or three numbers per axis
PTO287: cube tile 每个轴要两个数
PTO297: run_mode is neither NPU nor SIM
PTO298: there is no Ascend card in this machine, run without NPU, laptop
PTO298: 没有 NPU 卡，怎样在普通电脑上运行，没有昇腾设备
PTO222: Element(value, dtype) instead of Element(dtype, value), arguments swapped
PTO222: Element 的两个参数写反
PTO222: unexpected keyword argument eps, sorted, satmode
PTO256: read one element of a float tensor as an integer, tensor dtype must be DT_INT32
PTO256: 从浮点张量里取一个元素当整数用，必须是 int32
PTO270: a vector times a matrix, 1-D operand of matmul
PTO270: 一维张量、向量乘矩阵
PTO231: sin, exp, sqrt of an integer tensor
PTO231: 对整数张量做 sin 或 exp
PTO265: cast INT64 to BF16, cast between these two types does not exist
PTO282: "has invalid type. Expected"
PTO240: "Offset.size() must be less than"
PTO275: "scaleTensor only support int64 and uint64"
PTO269: "Invalid input shape type:"
PTO260: "Augmented assignment operator"
PTO219: "Loop variable must be a simple name or tuple/list for unpacking"
PTO219: "Assignment target must be a name, tuple, or subscript, but got"
PTO219: "module 'pypto' has no attribute"
PTO209: "is_loop_begin() must be called in a pypto.loop"
PTO209: "is_loop_end() must be called in a pypto.loop"
PTO236: "Tensor.view, shape must be the same dimension"
PTO236: "Tensor.view, offset must be the same dimension"
PTO249: "result's shape size and offset size should be equal"
PTO235: "Invalid dstshape"
PTO255: "Reshape does not support dynamic axis"
PTO253: "capacity == 1"
PTO283: "scope_id {} is out of range. Expected -1~2147483647."
PTO283: "Invalid sg_set_tunevf_mode"
PTO283: "Invalid ooo_sched_mode"
PTO282: "Invalid enable_slice"
PTO282: "Invalid sg_set_ooo_scope"
PTO282: "value must be int or (count, side) tuple"
PTO282: "Unable to cast Python instance of type"
PTO282: "std::bad_cast"
PTO280: "Option not found:"
PTO222: "the type of dim is not supported"
PTO227: "value type mismatch: tensor dtype is {} but value is float"
PTO231: "dtype must be one of DT_FP32, DT_FP16, DT_BF16"
PTO232: "output shape dim should be in [1, 4]"
PTO223: "must be of type Tensor"
PTO275: "Bias tensor dimension mismatch for 3D/4D"
PTO231: "only supports 2D scale tensor"
PTO231: "fp4 input only supports DT_FP4_E2M1."
PTO270: "Unsupported tensor dimension for MX Matmul"
PTO263: "Scale Matrix Kscale0/Kscale1 dimension mismatch"
PTO263: "Matrix M/N dimension mismatch"
PTO263: "Scale K != ceil(input K, 64)"
PTO275: "BatchMatmulMX only supports"
PTO231: "Input/Weight tensor data type must in [bf16, fp16, fp32]"
PTO228: "Input and weight data types must be consistent"
PTO231: "Output data type must be consistent with input"
PTO263: "Bias data type must be"
PTO248: "dest.GetShape().size() == tensor.GetShape().size()"
PTO234: "View(): incompatible function arguments"
PTO255: "Reshape(): incompatible function arguments"
PTO258: "object of type 'Tensor' has no len()"
PTO238: "'float' object is not iterable"
PTO200: 要求具体的整数，却是运行时才知道的值
PTO201: loop count is a float
PTO201: number of iterations computed with / is a float, use //
PTO201: 循环次数是小数
PTO201: 用 range 作为 pypto.loop 的参数
PTO219: function is missing in pypto, does this API exist
PTO219: 找不到这个函数，pypto 里没有
PTO222: order of arguments of full, value and shape swapped
PTO222: keyword of an operation is called differently
PTO222: TypeError wrong arguments of an operation
PTO222: 参数传错了，关键字名字不对
PTO222: dtype 参数位置不对，被当成别的参数
PTO224: add 1 to a whole tensor whose first dimension is dynamic
PTO224: whole dynamic tensor as an operand
PTO224: 整个动态张量直接参与运算
PTO224: -1 维的张量不能直接加
PTO226: tensor multiplied by the index of a loop
PTO226: 张量和循环变量相乘
PTO227: int tensor plus a number with a decimal point
PTO227: int32 张量加 0.5
PTO228: int32 tensor times float32 tensor
PTO228: half precision and single precision tensors together
PTO228: mixed dtypes in an addition or multiplication are refused
PTO228: 类型不同的张量相加，fp16 与 fp32、bf16
PTO229: cannot add two tensors of different sizes
PTO229: sizes of the two tensors do not match in an elementwise operation
PTO229: 两个张量大小不同，不能相加
PTO231: exp of int32, sqrt of an integer tensor
PTO234: window whose length depends on a loop variable or a shape
PTO234: x[i:i+n] where n is not a constant
PTO234: 窗口长度不是常数
PTO235: extent of 0, minus one or too large when a tensor is made
PTO236: number of extents and number of offsets of a window differ
PTO236: how many entries do shape and offsets of a view need
PTO236: view 要几个 offset
PTO240: 三个下标索引二维张量
PTO241: strided slice, every second element
PTO241: 间隔取元素，切片步长
PTO242: row number is too large, x has fewer rows
PTO242: 行号超过了张量的行数
PTO246: store a Python number or array into a tensor
PTO247: result has another dtype than the output it is stored into
PTO252: value moved into the output has another size
PTO253: flatten or regroup into another total number of elements
PTO253: reshape from 120 elements to 100
PTO253: reshape 之后总数不同
PTO254: 两个维度都写 -1
PTO256: scalar from a half precision or float tensor for an if or an index
PTO256: 读出一个浮点元素做循环次数或条件
PTO257: 对张量写 for 循环
PTO259: if on a tensor comparison, condition is a whole tensor
PTO265: no direct conversion between these two dtypes
PTO265: 两种类型之间没有直接转换
PTO270: one operand of the matrix product is a vector
PTO271: matrix with a dynamic number of rows goes straight into matmul
PTO271: 动态行数的矩阵直接做 matmul
PTO272: left and right matrix have different precision, bf16 @ fp32
PTO272: 左矩阵 fp16 右矩阵 fp32
PTO274: k of the left operand is not k of the right operand
PTO274: inner sizes of a matrix product do not match
PTO274: 左矩阵的 K 和右矩阵的 K 不相等
PTO279: last axis has more than 65535 elements, K of 100000
PTO279: K 太大，内轴超长
PTO286: tile that follows the shape of the input
PTO286: can a tile be a variable
PTO286: tile 跟着输入的大小变
PTO298: machine without any Ascend hardware
PTO298: 机器上没有昇腾硬件
PTO201: pypto.loop(n / 64) with a true division
PTO201: bound computed with a slash
PTO219: x.T of an intermediate result, transposed view of a result
PTO222: axis= instead of dim=, unexpected keyword argument of an operation
PTO222: 关键字写成 axis，应为 dim
PTO223: 1.0 - x or 2.0 / x with the number on the left
PTO223: 数字写在运算符左边
PTO224: exp of an input whose batch size is unknown
PTO224: batch 大小未知的输入直接做 exp
PTO228: x is bf16 and the bias is fp32, the addition is refused
PTO229: [32, 64] and [32, 32] cannot be broadcast
PTO234: x[start:start+length] where the length comes from a tensor or a shape
PTO248: two-dimensional result into a four-dimensional output
PTO253: see [8, 12] as [10, 10]
PTO259: if x.sum() > 0 on a tensor
PTO274: [64, 100] times [128, 64]
PTO274: 两个矩阵形状乘不了
PTO201: does pypto.loop take a float
PTO219: does pypto have einsum, is there such a function
PTO222: ones or zeros took the dtype for a size
PTO222: dtype was taken for an extent
PTO224: arithmetic on a tensor whose size is only known at the call
PTO228: must both operands have one dtype
PTO234: slice with a dynamic length
PTO241: x[::4] 这种带步长的写法
PTO253: number of elements before and after differ
PTO256: loop count read from a float tensor
PTO272: can one matrix be half and the other one float
PTO256: 从 float 张量取一个数当循环次数
PTO272: bf16 @ fp32
PTO226: multiply a tensor by the loop variable
PTO227: x is int32 and x * 0.1 is not accepted
PTO242: x has 4 rows, row 7 is taken
PTO241: x[::4]
PTO279: K = 131072 in a matmul
"""
