"""Symptoms of PTO6xx, PTO7xx and PTO9xx: other toolchains, the linter, OpenPTO itself."""

TABLE = """
PTO610: tensor is empty or the process crashes when it is read after B[:] = A
PTO610: 移动之后再读源张量，段错误
PTO611: read a part of a tensor, change it and write it back to the same tensor, view and assemble on one buffer
PTO611: y[0:8] = y[0:8] + 1 is refused
PTO611: 同一个 buffer 又读又写形成环，cycle
PTO611: 读取切片修改后写回同一张量
PTO613: reshape(inplace=True) after a view, many elements wrong on the device
PTO620: stitch_function_max_num or other stitch options on a simple kernel, launch fails
PTO621: tile is larger than the axis, tile does not divide the dimension, 8,8,8,8 with batch 1
PTO621: tile 比维度还大，不能整除
PTO622: command line option --run_mode has no effect because the decorator ran at import
PTO622: 命令行指定 run_mode 不生效，装饰器在导入时已经绑定
PTO625: cumsum fails in the last unaligned chunk, is_loop_end
PTO626: scalar is read before the device has finished computing it
PTO650: y[:] = 0.0, filling a slice with a number
PTO651: element of an int64 tensor read as a scalar
PTO660: if pypto.cond(...) inside a jit kernel, RecordIfBranch
PTO661: is_loop_begin or is_loop_end in a plain helper function, Not concrete value without a line
PTO661: 普通辅助函数里用 is_loop_begin，报错没有行号
PTO662: inner and outer loop have the same index name
PTO662: 内外层循环用了相同的下标名
PTO663: Python min() or max() of symbolic sizes
PTO663: 对动态维用 Python 的 min max
PTO664: with statement inside of the kernel
PTO666: if with an int or None as the condition
PTO667: keyword argument in a call of a frontend.function helper
PTO678: return annotation of a frontend.function helper
PTO678: frontend.function 辅助函数写了返回值注解
PTO668: value rebound in a loop is stale, only the last iteration or the initial value counts on the device
PTO668: x = x + 1 in a pypto.loop does not accumulate, state is not carried
PTO668: 循环里 acc = acc + x 不累加，只有最后一次有效
PTO668: 状态没有传到下一次迭代
PTO669: and, or, not or a ternary with symbols in an if
PTO669: if i > 0 and i < n with loop variables
PTO669: 符号条件里用 and or not
PTO671: while, lambda or annotated local variable refused by the older front end
PTO671: kernel 里用 while 循环，旧前端不支持
PTO672: unroll_list without 1 runs past the end of the loop
PTO673: is_loop_begin(i) combined with * or other arithmetic
PTO676: for over an empty list
PTO680: variable from inside of a loop is used after the loop
PTO680: 循环里定义的变量在循环外使用
PTO749: unroll_list on an outer loop
PTO770: y += x on an output does nothing
PTO770: 对输出用 += 没有效果
PTO771: test always passes with difference 0 because the kernel falls back to the golden in try/except
PTO771: kernel 失败后被 except 捕获，用 golden 顶替，测试总能通过
PTO777: both sides of the comparison are the same tensor
PTO901: internal error of OpenPTO, please report
PTO902: function of pypto that OpenPTO does not have yet
PTO902: OpenPTO 还没有实现这个操作
PTO610: SIGSEGV when A is read after B[:] = A
PTO622: changing run_mode to sim has no effect
PTO622: 改了 run_mode 也不生效
PTO669: combine two conditions on loop indices with and in one if
PTO669: if 里用 and 连接两个循环变量的条件
PTO671: "While loop is not supported yet."
PTO903: "Input pypto.DataType is not supported or mapped to None. Got"
PTO650: "'float' object has no attribute 'base'"
PTO610: a becomes empty after it was moved into b
PTO610: a 移动给 b 之后变空
PTO611: update rows of a buffer in place from other rows of it
PTO622: flag --run_mode is parsed too late
PTO622: 切换到 sim 的参数没有起作用
PTO661: is_loop_begin inside of my own function
PTO661: 自己写的函数里用 is_loop_end
PTO663: max of two dynamic sizes in Python
PTO663: 两个动态大小取最大值
PTO668: running maximum or state is forgotten with each iteration
PTO668: previous step is lost, each iteration begins with the initial value
PTO668: accumulated sum holds only the last block
PTO668: 状态在循环里没有传下去，每次都从初始值开始
PTO668: 累加结果只剩最后一次
PTO771: golden is returned when the kernel raises, test is green
PTO771: 误差一直为 0，怀疑没有真正运行 kernel
PTO610: after a[:] = b the tensor b holds garbage
PTO663: n = min(block, rows - i * block)
PTO668: the next round of the loop still sees the first value
PTO622: switching to sim by a flag does nothing
PTO668: accumulator starts from zero again in each iteration
PTO668: 循环变量的值每轮都被重置
PTO622: the flag for sim has no influence
PTO771: my test cannot fail, even with a broken kernel
PTO668: online softmax maximum is always the one from the first block
PTO668: m = maximum(m, x) in a pypto.loop keeps the value of the first block on the NPU
PTO622: argparse in main parses --run_mode, kernel still uses the NPU
PTO622: 在 main 里解析 --run_mode，kernel 还是 NPU 模式
PTO770: y += b inside of the kernel is not visible to the caller
"""
