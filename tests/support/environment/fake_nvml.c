/* A stand-in for libnvidia-ml.so.1. It reads the file named by FAKE_NVML_STATE again at every call; its lines:
 *   driver 560.35.03
 *   gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070     uuid, MiB in all, MiB free, degrees, name
 *   busy 0 87 215500                                      the GPU of that index, percent, milliwatts
 *   capability 0 6 1                                      its index, its compute capability; else 8.6
 *   cooling 0 35                                          its index, its fan's percent; else not supported
 *   energy 0 5000000                                      its index, what it has drawn so far in mJ; else not supported
 *   process 0 4242 512 Compute                            its index, pid, MiB (-1: not told), Compute or Graphics
 *   use 0 4242 35 1000                                    its index, pid, percent of its time, microsecond of the sample
 *   quiet                                                 a GPU that nobody has used has no samples, instead of NOT_FOUND
 *   fail nvmlInitWithFlags 9                              this call returns that code
 *   lost 1                                                the GPU of that index has fallen off the bus
 *   hang nvmlDeviceGetName                                this call does not return while the line stands
 * -DWITHOUT_V leaves out the symbols that old drivers do not have.
 * Every nvmlInit adds a line to the file FAKE_NVML_STATE.inits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, IS_LOST = 15,
       VERSION_MISMATCH = 25 };

typedef struct {
    char uuid[96], name[96];
    unsigned long long total_mib, free_mib;
    int celsius, percent, milliwatts, is_cooled, fan, counts_energy;
    unsigned long long millijoules;
    int major, minor;
} gpu_t;
typedef struct { int gpu; unsigned pid; long long mib; char kind[16]; } process_t;
typedef struct { int gpu; unsigned pid, percent; unsigned long long at; } use_t;
typedef struct {
    unsigned count, processes, uses;
    gpu_t gpus[8];
    process_t process[8];
    use_t use[8];
    char driver[80];
    int failure, lost, hangs, quiet;
} state_t;

static int opened;

static void read_line(state_t *state, const char *line, const char *call) {
    char name[96];
    int number, percent, milliwatts;
    unsigned long long millijoules;
    gpu_t *gpu = &state->gpus[state->count];
    process_t *process = &state->process[state->processes];
    use_t *use = &state->use[state->uses];
    if (state->count < 8 && sscanf(line, "gpu %95s %llu %llu %d %95[^\n]", gpu->uuid, &gpu->total_mib,
                                   &gpu->free_mib, &gpu->celsius, gpu->name) == 5) state->count++;
    if (sscanf(line, "busy %d %d %d", &number, &percent, &milliwatts) == 3) {
        state->gpus[number].percent = percent;
        state->gpus[number].milliwatts = milliwatts;
    }
    if (sscanf(line, "capability %d %d %d", &number, &percent, &milliwatts) == 3) {
        state->gpus[number].major = percent;
        state->gpus[number].minor = milliwatts;
    }
    if (sscanf(line, "cooling %d %d", &number, &percent) == 2) {
        state->gpus[number].is_cooled = 1;
        state->gpus[number].fan = percent;
    }
    if (sscanf(line, "energy %d %llu", &number, &millijoules) == 2) {
        state->gpus[number].counts_energy = 1;
        state->gpus[number].millijoules = millijoules;
    }
    if (state->processes < 8 && sscanf(line, "process %d %u %lld %15s", &process->gpu, &process->pid,
                                       &process->mib, process->kind) == 4) state->processes++;
    if (state->uses < 8 && sscanf(line, "use %d %u %u %llu", &use->gpu, &use->pid, &use->percent, &use->at) == 4)
        state->uses++;
    sscanf(line, "driver %79s", state->driver);
    if (sscanf(line, "lost %d", &number) == 1) state->lost = number;
    if (sscanf(line, "fail %95s %d", name, &number) == 2 && !strcmp(name, call)) state->failure = number;
    if (!strncmp(line, "quiet", 5)) state->quiet = 1;
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
    if (!opened) return UNINITIALIZED;
    if (index < 0 || index >= (int)state->count) return INVALID_ARGUMENT;
    *gpu = &state->gpus[index];
    return index == state->lost ? IS_LOST : SUCCESS;
}

static int copy(const char *text, char *out, unsigned size) {
    if (strlen(text) >= size) return INSUFFICIENT_SIZE;
    strcpy(out, text);
    return SUCCESS;
}

int nvmlInitWithFlags(unsigned flags) {
    state_t s;
    char path[4096];
    int failure = read_state(&s, __func__);
    FILE *log;
    snprintf(path, sizeof path, "%s.inits", getenv("FAKE_NVML_STATE"));
    log = fopen(path, "a");
    if (log) { fprintf(log, "%u %d\n", flags, failure); fclose(log); }
    if (!failure) opened++;
    return failure;
}

int nvmlShutdown(void) { if (opened) opened--; return SUCCESS; }
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

typedef struct { unsigned gpu, memory; } utilisation_t;

int nvmlDeviceGetUtilizationRates(void *handle, utilisation_t *utilisation) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    utilisation->gpu = (unsigned)gpu->percent;
    utilisation->memory = 0;
    return SUCCESS;
}

int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    *major = gpu->major ? gpu->major : 8;
    *minor = gpu->major ? gpu->minor : 6;
    return SUCCESS;
}

int nvmlDeviceGetFanSpeed(void *handle, unsigned *percent) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    if (!gpu->is_cooled) return NOT_SUPPORTED;
    *percent = (unsigned)gpu->fan;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    *milliwatts = (unsigned)gpu->milliwatts;
    return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *millijoules) {
    state_t s;
    gpu_t *gpu;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    if (!gpu->counts_energy) return NOT_SUPPORTED;
    *millijoules = gpu->millijoules;
    return SUCCESS;
}

typedef struct { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; } info_t;

static int list(const char *call, const char *kind, void *handle, unsigned *count, info_t *infos) {
    state_t s;
    gpu_t *gpu;
    unsigned found = 0, room = *count;
    int failure = find(&s, call, handle, &gpu);
    if (failure) return failure;
    for (unsigned i = 0; i < s.processes; i++) {
        process_t *process = &s.process[i];
        if (process->gpu != (int)(long)handle - 1 || strcmp(process->kind, kind)) continue;
        unsigned long long memory = process->mib < 0 ? ~0ULL : (unsigned long long)process->mib << 20;
        if (found < room) infos[found] = (info_t){process->pid, memory, ~0U, ~0U};
        found++;
    }
    *count = found;
    return found > room ? INSUFFICIENT_SIZE : SUCCESS;
}

#define LIST(kind, version) \
    int nvmlDeviceGet##kind##RunningProcesses##version(void *handle, unsigned *count, info_t *infos) { \
        return list(__func__, #kind, handle, count, infos); \
    }
#ifdef WITHOUT_V
LIST(Compute, _v2)
LIST(Graphics, _v2)
#else
LIST(Compute, _v3)
LIST(Graphics, _v3)
#endif

typedef struct { unsigned pid; unsigned long long at; unsigned sm, memory, encoder, decoder; } sample_t;

int nvmlDeviceGetProcessUtilization(void *handle, sample_t *samples, unsigned *count, unsigned long long since) {
    state_t s;
    gpu_t *gpu;
    unsigned found = 0, room = *count;
    int failure = find(&s, __func__, handle, &gpu);
    if (failure) return failure;
    for (unsigned i = 0; i < s.uses; i++) {
        use_t *use = &s.use[i];
        if (use->gpu != (int)(long)handle - 1 || use->at <= since) continue;
        if (samples && found < room) samples[found] = (sample_t){use->pid, use->at, use->percent, 0, 0, 0};
        found++;
    }
    *count = found;
    if (!found) return s.quiet ? SUCCESS : NOT_FOUND;
    return !samples || found > room ? INSUFFICIENT_SIZE : SUCCESS;
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
