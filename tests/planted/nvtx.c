/* nvtx.c -- a tool for NVTX, loaded by NVTX_INJECTION64_PATH: prints ranges as they start and end. */
#include <stdint.h>
#include <stdio.h>

#include <nvtx3/nvToolsExt.h>

static int depth;

static int push(const char *name)
{
	(void)fprintf(stderr, "nvtx: %*s%s\n", 4 * depth++, "", name);
	return depth;
}

static int pop(void)
{
	(void)fprintf(stderr, "nvtx: %*send\n", 4 * --depth, "");
	return depth;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
	const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
	NvtxFunctionTable table;
	unsigned size;

	if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size))
		return 0;
	*table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
	*table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
	return 1;
}
