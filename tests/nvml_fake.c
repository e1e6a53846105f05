/* A stand-in for libnvidia-ml.so.1. It reads the file named by FAKE_NVML_STATE again at every call; its lines:
 *   driver 560.35.03
 *   gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070     uuid, MiB in all, MiB free, degrees, name
 *   fail nvmlInitWithFlags 9                              this call returns that code
 *   lost 1                                                the GPU of that index has fallen off the bus
 *   hang nvmlDeviceGetName                                this call does not return while the line stands
 * -DWITHOUT_V leaves out the symbols that old drivers do not have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, INSUFFICIENT_SIZE = 7, VERSION_MISMATCH = 25, IS_LOST = 15 };

typedef struct { char uuid[96], name[96]; unsigned long long total_mib, free_mib; int celsius; } gpu_t;
typedef struct { unsigned count; gpu_t gpus[8]; char driver[80]; int failure, lost, hangs; } state_t;

static void read_line(state_t *state, const char *line, const char *call) {
    char name[96];
    int number;
    gpu_t *gpu = &state->gpus[state->count];
    if (state->count < 8 && sscanf(line, "gpu %95s %llu %llu %d %95[^\n]", gpu->uuid, &gpu->total_mib,
                                   &gpu->free_mib, &gpu->celsius, gpu->name) == 5) state->count++;
    sscanf(line, "driver %79s", state->driver);
    if (sscanf(line, "lost %d", &number) == 1) state->lost = number;
    if (sscanf(line, "fail %95s %d", name, &number) == 2 && !strcmp(name, call)) state->failure = number;
    if (sscanf(line, "hang %95s", name) == 1 && !strcmp(name, call)) state->hangs = 1;
}

static int read_state(state_t *state, const char *call) {
    do {
        char line[256];
        const char *path = getenv("FAKE_NVML_STATE");
        FILE *file = path ? fopen(path, "r") : NULL;
        memset(state, 0, sizeof *state);
        state->lost = -1;
        while (file && fgets(line, sizeof line, file)) read_line(state, line, call);
        if (file) fclose(file);
        if (state->hangs) usleep(20000);
    } while (state->hangs);
    return state->failure;
}

static int find(state_t *state, const char *call, void *handle, gpu_t **gpu) {
    int failure = read_state(state, call), index = (int)(long)handle - 1;
    if (failure) return failure;
    if (index < 0 || index >= (int)state->count) return INVALID_ARGUMENT;
    *gpu = &state->gpus[index];
    return index == state->lost ? IS_LOST : SUCCESS;
}

static int copy(const char *text, char *out, unsigned size) {
    if (strlen(text) >= size) return INSUFFICIENT_SIZE;
    strcpy(out, text);
    return SUCCESS;
}

int nvmlInitWithFlags(unsigned flags) { state_t s; (void)flags; return read_state(&s, __func__); }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { (void)code; return "as the fake was told"; }

int nvmlSystemGetDriverVersion(char *out, unsigned size) {
    state_t s;
    int failure = read_state(&s, __func__);
    return failure ? failure : copy(s.driver, out, size);
}

int nvmlDeviceGetCount_v2(unsigned *count) {
    state_t s;
    int failure = read_state(&s, __func__);
    *count = s.count;
    return failure;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
    state_t s;
    gpu_t *gpu;
    *handle = (void *)(long)(index + 1);
    return find(&s, __func__, *handle, &gpu);
}

int nvmlDeviceGetUUID(void *handle, char *out, unsigned size) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    return failure ? failure : copy(gpu->uuid, out, size);
}

int nvmlDeviceGetName(void *handle, char *out, unsigned size) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    return failure ? failure : copy(gpu->name, out, size);
}

typedef struct { unsigned long long total, free, used; } memory_t;

int nvmlDeviceGetMemoryInfo(void *handle, memory_t *memory) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    memory->total = gpu->total_mib << 20;
    memory->free = gpu->free_mib << 20;
    memory->used = memory->total - memory->free;
    return SUCCESS;
}

int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    *celsius = (unsigned)gpu->celsius;
    return sensor ? INVALID_ARGUMENT : SUCCESS;
}

#ifndef WITHOUT_V
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_v2_t;
typedef struct { unsigned version; int sensor, celsius; } temperature_t;

int nvmlDeviceGetMemoryInfo_v2(void *handle, memory_v2_t *memory) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    if (memory->version != 0x02000028) return VERSION_MISMATCH;
    memory->total = gpu->total_mib << 20;
    memory->free = gpu->free_mib << 20;
    memory->reserved = 0;
    memory->used = memory->total - memory->free;
    return SUCCESS;
}

int nvmlDeviceGetTemperatureV(void *handle, temperature_t *temperature) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    if (temperature->version != 0x100000C) return VERSION_MISMATCH;
    temperature->celsius = gpu->celsius;
    return SUCCESS;
}
#endif
