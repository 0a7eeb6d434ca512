"""Symptoms of PTO3xx: tiles and chips."""

TABLE = """
PTO301: no set_vec_tile_shapes before the first vector operation, only a cube tile was set
PTO301: error about a tile at an operation that nobody wrote, REGISTER_COPY or VEC_DUP
PTO301: do I have to set a tile before exp or add
PTO301: tile was set in another loop or scope and is gone
PTO301: 没有设置向量 tile，只设置了 cube tile
PTO301: 忘了调用 set_vec_tile_shapes，F21004
PTO302: vector tile with 0 or a negative value
PTO302: tile 的值是 0 或负数
PTO303: number of tile values is smaller than the rank of the tensor
PTO303: two tile values for a 3-D or 4-D tensor, 5-D view with a 4-value tile
PTO303: tile 的个数少于张量的维数，tile 维数不匹配
PTO303: reshape 或归约之后维数变了，tile 没有重新设置
PTO304: tile too large for the unified buffer UB, 192 KB, exceeds UB size
PTO304: vector tile does not fit into the on-chip memory, choose a smaller tile
PTO304: F40005 TENSOR_MEMORY_ALLOCATION MEM_UB 196608
PTO304: 向量 tile 太大，UB 空间不足，超过 192KB
PTO304: UB 放不下，要减小 tile
PTO305: last axis of the tile must be a multiple of 32 bytes for sum, amax and other reductions
PTO305: 归约时 tile 尾轴要 32 字节对齐
PTO306: view, assemble or a copy without any vector tile
PTO307: tile fits 950 but not 910B
PTO308: operation exists on the 950 only
PTO309: FP8, MX or this operation is not available on the chosen chip
PTO309: 所选芯片没有这个操作
PTO311: tile is tiny, tens of thousands of tile operations, compile slow
PTO311: tile 太小，任务数太多
PTO312: more tile values than axes
PTO313: cube and vector operations in one sg_set_scope
PTO320: matmul without set_cube_tile_shapes, kL0=0
PTO320: cube tile is missing for a matrix product
PTO320: 矩阵乘之前没有设置 cube tile，set_cube_tile_shapes
PTO321: L1 is no multiple of L0, [96,128] is refused, L0 larger than L1
PTO321: cube tile 的 L1 不能被 L0 整除
PTO322: k or n of the cube tile is 8 or 24, must be a multiple of 16
PTO322: cube tile 的 k、n 不是 16 的倍数
PTO323: int8 cube tile rows of 16 bytes
PTO324: cube tile too large for L0A, L0B, L0C or L1, halve it
PTO324: matrix tile exceeds 64 KB or 128 KB of an L0 buffer
PTO324: cube tile 太大，L0A L0B L0C L1 放不下，要减半
PTO325: three k values of a cube tile do not divide each other
PTO327: enable_split_k with an output of BF16 or FP16
PTO327: split_k 时输出类型只能是 FP32 或 INT32
PTO328: topk, sort or transpose wants another vector tile
PTO330: conv without set_conv_tile_shapes
PTO330: 卷积没有设置 tile
PTO331: convolution tile is not a multiple of 16 or does not divide
PTO332: convolution tile exceeds L0 or L1
PTO332: 卷积的 tile 超出 L1 或 L0 容量
PTO301: full, zeros or ones before any tile is set, VEC_DUP
PTO303: tile has the wrong number of entries after a reduction or reshape has changed the rank
PTO303: set the tile again after sum without keepdim
PTO304: cumsum or softmax over a long axis overflows UB
PTO304: 一个向量 tile 在片上内存放不下
PTO310: reduction tile above the documented limit of 64 KB
PTO323: "must be 32-byte aligned"
PTO301: "TileShape is no set for reduce op"
PTO303: "FwkOp tile shape dimension mismatch"
PTO303: "TileShape dim num should same to input"
PTO303: "FwkOp tile shape's last dim is not aligned"
PTO304: "exceeds UB size"
PTO304: "exceeds MEM_UB size"
PTO324: "exceeds MEM_L0"
PTO324: "exceeds MEM_L1"
PTO301: what does tile shape not set want, simple relu or exp fails
PTO301: elementwise operation complains about a missing tile
PTO301: tile 没有设置，简单的 exp 也报错
PTO303: how many numbers does set_vec_tile_shapes need for a 3-D or 4-D tensor
PTO303: 三维张量 tile 只写了两个数
PTO304: does a tile of 256 x 1024 floats fit
PTO304: how large may a vector tile be, how big is UB
PTO304: tile needs more bytes than the vector memory has
PTO304: UB 有多大，tile 最大能设多少
PTO304: tile 超过了 UB
PTO305: 尾轴不是 32 字节的整数倍
PTO320: matrix product fails because the cube tile was never set
PTO320: 没设 cube tile，matmul 失败
PTO321: L1 must be a multiple of L0
PTO321: L1 和 L0 的关系不对，整除
PTO322: cube tile values must be multiples of 16
PTO324: product of mL0 and nL0 is too large for L0C
PTO324: L0C 不够，输出 tile 太大
PTO324: L0A 不够
PTO327: split-k with half precision output
PTO327: 打开 split k 之后输出只能是 fp32
PTO303: set_vec_tile_shapes with two numbers for a batch of matrices
PTO305: row sum with a tile that is 6 FP32 wide
PTO305: width of the tile is no multiple of 8 for fp32 or 16 for fp16
PTO321: an entry such as [96, 128] of a cube tile is refused
PTO322: k entry of 20 is not accepted
PTO324: 512 x 512 cube tile is too large
PTO324: L1 装不下，kL1 太大
PTO301: is there a default tile
PTO303: tile has lower rank than the data
PTO304: biggest tile that the vector unit can take
PTO324: L0C 放不下，m 和 n 的 tile 太大
"""
