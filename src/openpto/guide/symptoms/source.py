"""Symptoms of PTO1xx: statements and control flow."""

TABLE = """
PTO101: kernel was made by exec or typed into a prompt, its source cannot be found
PTO101: 用 exec 生成的 kernel 找不到源码
PTO110: try, import, class, global, raise, del or match inside a kernel is not supported
PTO110: is a try except block possible in a kernel
PTO110: kernel 里不能写 try、import、class、global
PTO110: 语句不支持 NotImplementedError parser
PTO111: helper with *args, variable number of arguments
PTO111: 函数定义里有 *args 可变参数
PTO112: for ... else, while ... else
PTO112: 循环后面的 else
PTO113: kernel wants to return a value, return statement in the jit function
PTO113: how do I return a tensor from a kernel
PTO113: kernel 能不能有返回值，结果怎么返回
PTO113: kernel 末尾写 return 报错
PTO114: break or continue in a pypto.loop, leave the loop early
PTO114: 想提前退出 pypto.loop 循环，break continue 不支持
PTO115: break under an if whose condition is only known on the device
PTO117: raise an error depending on a run-time value
PTO120: NameError, a variable is used that nothing has set
PTO120: 变量没有定义就使用，名字写错
PTO121: variable is set in only one branch of an if and used after it
PTO121: if 分支里定义的变量在后面用不了，另一个分支没有赋值
PTO122: the two branches of an if leave values of different kinds in one variable
PTO122: if else 两个分支给同一个变量赋了不同类型
PTO123: the loop index is used after the loop
PTO123: 循环结束后还用循环变量 i
PTO124: a tensor whose size depends on the index of the loop is used behind the loop
PTO130: if with something that is no boolean, condition has the wrong type
PTO130: if 条件不是布尔也不是符号
PTO131: int(symbol), list index or Python code needs a number that is known only on the device
PTO131: float or int of a symbolic scalar
PTO131: 把符号转成 int，Python 代码需要具体的数
PTO132: test with `in` whether a symbol is in a list
PTO134: Python range over a dynamic size, 'SymbolicScalar' object cannot be interpreted as an integer
PTO134: for in range with a dimension that is dynamic; use pypto.loop instead
PTO134: 用 range 遍历动态维度，range 不支持符号
PTO140: accumulator has another shape or dtype at the end of the iteration
PTO140: 循环里的累加张量形状或类型变了
PTO141: Python float is accumulated in a pypto.loop
PTO141: 循环里累加 Python 浮点数
PTO142: a variable is None or int before the loop and a tensor in it
PTO142: 变量循环前是 None 循环里变成张量
PTO143: list append inside of a pypto.loop
PTO143: 在 pypto.loop 里往列表 append 张量
PTO151: parallel=True in an inner loop as well as in an outer loop
PTO151: 内外两层循环都写了 parallel=True
PTO152: for over a dict, a string, a generator or a tensor
PTO152: for 遍历字典或张量
PTO153: for i, j in pypto.loop
PTO153: pypto.loop 的下标写了两个变量
PTO155: number of names on the left differs from the number of values
PTO157: accumulate in a loop with parallel=True
PTO157: 并行循环里做累加，前后迭代有依赖
PTO158: unpack a number or scalar into several names
PTO160: while True in a kernel never ends while tracing
PTO160: while loop runs forever, program does not come back before the kernel runs
PTO160: kernel 里的 while 循环停不下来，死循环
PTO161: recursion, helper calls itself, maximum recursion depth
PTO161: 递归调用没有终止
PTO163: helper marked with frontend.function gets the wrong number of arguments
PTO165: torch or numpy function is called on a pypto tensor inside the kernel, torch.exp(x)
PTO165: kernel 里对 pypto 张量用了 torch 或 numpy 的函数
PTO166: with pypto.cond(...)
PTO171: tensor made inside an if or a loop is used outside
PTO172: tensor kept from an earlier kernel call is used in another kernel
PTO181: very long compile time because of a Python for loop, huge number of operations in the graph
PTO181: loop is unrolled thousands of times, tracing or compiling takes minutes
PTO181: Python for 循环展开几千次，编译很慢
PTO181: 图太大，操作数太多，编译时间长
PTO182: CALL_OP_COUNT_EXCEEDS_UINT16_MAX, too many operations
PTO182: 操作数量过多，超出上限
PTO134: for i in range(n) where n is a dynamic size, cannot be interpreted as an integer
PTO134: range(n) 的 n 是动态维度，不能当作整数
PTO165: np.exp or torch.sum inside of a kernel
PTO130: "Cannot convert assert condition of type"
PTO164: "Tensor must be a pypto.Tensor, but got"
PTO120: "is not defined in the current scope"
PTO113: "Unsupported syntax <class 'ast.Return'>"
PTO134: "'SymbolicScalar' object cannot be interpreted as an integer"
PTO110: exception handling in a kernel is refused
PTO110: 语法不支持，kernel 里不能用这种语句
PTO114: leave a pypto.loop early
PTO114: stop the loop before its end
PTO114: 在 pypto.loop 里提前跳出、提前结束循环
PTO120: variable is used before it has been defined
PTO120: NameError undefined variable
PTO120: 使用了没有定义的变量，NameError
PTO121: else path does not have the variable that the if path sets
PTO121: 变量只在 if 里有，else 里没有
PTO130: if 的条件类型不对
PTO143: 循环里列表长度变化
PTO157: accumulating into a scalar or a name in a parallel loop
PTO160: loop condition is always true, the kernel never gets traced to the end
PTO160: while 条件一直为真，程序停不下来
PTO165: numpy function inside of the kernel
PTO165: 在 kernel 里调用 np.sqrt
PTO181: the loop is written out thousands of times
PTO181: compile time explodes with the number of blocks
PTO181: 循环被完全展开，图非常大
PTO114: break inside of a loop body
PTO121: a name gets its value in the if branch only
PTO181: for i in range(2000) in a kernel takes ages
PTO181: Python range loop with thousands of iterations is slow to trace
PTO113: how to hand a result back from a kernel
PTO160: Python while loop never stops
PTO181: Python 的 for 循环几千次，trace 很久
"""
