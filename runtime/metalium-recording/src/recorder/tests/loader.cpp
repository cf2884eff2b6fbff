// Loads the command as Python loads a module: out of sight of what was preloaded.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** arguments) {
    void* library = dlopen("./libcommand.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::puts(dlerror());
        return 1;
    }
    return reinterpret_cast<int (*)(char**)>(dlsym(library, "run_command"))(arguments);
}
