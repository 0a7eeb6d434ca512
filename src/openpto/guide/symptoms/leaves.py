"""More symptoms of leaves of the guide, beside those that their pages have."""

TABLE = """
aicore-exception: chip throws an exception while the operator runs
aicore-exception: kernel stopped by an exception of a core
aicore-exception: 运行到一半芯片报异常退出
aicore-exception: 卡上报错停止，怎么定位
compile-hangs: build of the kernel never completes
compile-hangs: calling the kernel shows nothing for an hour
compile-hangs: 编译没有反应，等了很久
device-busy: somebody else is on the card
device-memory: HBM of the card is full, out of memory at launch
device-memory: HBM 不够，显存溢出
error-codes: a pipeline is green although the script printed a traceback, tee hides the exit code
error-codes: 只看到一个错误码
kernel-is-slow: utilisation of the cores is low
kernel-is-slow: make the operator faster
kernel-is-slow: 怎样让算子跑得更快
kernel-is-slow: 算子太慢
print-shows-expressions: look at intermediate values inside the kernel
print-shows-expressions: 在 kernel 里查看中间结果
results-change: two launches with equal inputs give two results
results-change: 两次运行结果不一样
sim-mode: can the values of the simulator be trusted
sim-mode: values of SIM make no sense, NPU is right
sim-mode: 仿真的数值没有意义，不可信
sim-mode: SIM 结果不对，NPU 上正确
toolchain-crash: segfault, the process is gone
toolchain-crash: interpreter quits with a signal
toolchain-crash: 程序闪退，直接退出
import-fails: "libascendcl.so"
import-fails: "libascend_hal.so"
import-fails: "libhccl.so"
import-fails: "No module named 'pypto'"
import-fails: "No module named 'torch_npu'"
toolchain-crash: "Fatal Python error: Segmentation fault"
toolchain-crash: "Segmentation fault (core dumped)"
precision-bisect: find the step where the numbers go wrong
"""
