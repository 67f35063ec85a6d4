/* selftest_fault.cc -- faulty kernels: each is detected, and the report names the error and the
 * place.
 */
#include "tests/ptx/selftest/selftest.h"

static void check_fault(const char *body, const char *wanted, unsigned threads = 32,
			bool overlapped = false)
{
	std::vector<std::vector<uint8_t>> buffers = { std::vector<uint8_t>(100) };
	const std::string error =
		run_kernel(kernel_text(1, body), buffers, 1, threads, 1, overlapped);

	expect(error.find(wanted) != std::string::npos, "'%s' was expected: %s", wanted,
	       error.empty() ? "no error" : error.c_str());
}

void test_faults(void)
{
	check_fault("st.global.u32 [%p0+100], %tid;", "pass the end of an allocation of 100");
	check_fault("st.global.u32 [%p0+98], %tid;", "pass the end");
	check_fault("st.global.u32 [%p0+-4], %tid;", "no device memory");
	check_fault("ld.global.u32 %tid, [%p0+2];", "misaligned");
	check_fault("ld.global.u32 %tid, [16];", "no device memory");
	check_fault(".shared .align 4 .b8 s[64];\nst.shared.u32 [s+64], %tid;",
		    "at offset 64 of 64 bytes of shared memory");
	check_fault(".local .align 4 .b8 s[16];\nst.local.u32 [s+16], %tid;",
		    "outside the thread's 16 bytes of local memory");
	check_fault(".shared .align 16 .b8 s[32];\n.reg .b32 at;\nmov.u32 at, 8;\n"
		    "cp.async.cg.shared.global [at], [%p0], 16;\n",
		    "misaligned");
	check_fault(".shared .align 16 .b8 s[32];\n.reg .b32 at;\nmov.u32 at, 32;\n"
		    "cp.async.cg.shared.global [at], [%p0], 16;\n",
		    "at offset 32 of 32 bytes of shared memory");
	check_fault(".shared .align 16 .b8 s[32];\n.reg .b32 at;\nmov.u32 at, 0;\n"
		    "cp.async.cg.shared.global [at], [%p0+96], 16;\n",
		    "pass the end of an allocation of 100");
	check_fault("trap;", "trap");
	covers("trap");
	check_fault("st.global.u32 [%p0], %tid;\ngriddepcontrol.wait;",
		    "the launch before may not have ended", 32, true);
	check_fault(".reg .pred p;\nsetp.lt.u32 p, %tid, 32;\n@p bra L;\nbar.sync 0;\nbar.sync "
		    "0;\nL:\n",
		    "32 of 64 threads of the block have returned", 64);
	check_fault(".reg .pred p;\nsetp.lt.u32 p, %tid, 16;\n@p bra L;\nbar.sync 0;\nL:\n"
		    "bar.sync 1;\n",
		    "deadlock");
	check_fault("L:\nld.global.u32 %tid, [%p0];\nbra.uni L;\n", "livelock");
	check_fault(".reg .b32 d;\nshfl.sync.idx.b32 d, %tid, 20, 31, 0xffff;\n",
		    "does not name the lane itself");
	check_fault("frobnicate.b32 %tid, %tid;", "unknown opcode frobnicate.b32");
	check_fault("add.sat.s32 %tid, %tid, 1;", "unknown opcode add.sat.s32");
	check_fault("ld.global.L1::no_allocate.u32 %tid, [%p0];",
		    "unknown opcode ld.global.L1::no_allocate.u32");
	check_fault("st.param.u32 [p0], %tid;", "unknown opcode st.param.u32");
	check_fault("add.s64 %tid, %tid, 1;", "register of 32 bits for an operand of 64");
	check_fault("bra.uni nowhere;", "no label nowhere");
}
