/* fatbin.h -- registration of modules and kernels; by nvcc's objects, and by the self-test. */
#ifndef GPUBENCH_TESTS_PTX_FATBIN_H
#define GPUBENCH_TESTS_PTX_FATBIN_H

#include <string>

struct module;
struct module *module_from_text(const std::string &text);
struct module *module_register(const void *fat_binary);
void function_register(struct module *module, const void *host, const char *name);

#endif
