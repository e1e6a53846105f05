"""Which of a person's environment variables a worker is given: none that may hold a secret or lead to the session."""

from __future__ import annotations

from collections.abc import Mapping

_NAMES = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TZDIR", "TMPDIR"),
        *("LD_LIBRARY_PATH", "LD_PRELOAD", "GLIBC_TUNABLES", "ZE_AFFINITY_MASK", "GOMAXPROCS", "GODEBUG", "GOMEMLIMIT"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HF_ENDPOINT", "CC", "CXX"),
        # Windows starts no program without some of these
        *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "HOMEDRIVE"),
        *("HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "USERNAME"),
        *("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"),
    }
)
_PREFIXES = (
    *("LC_", "PYTHON", "WORKERBEE_", "HIVEMIND_", "MALLOC_", "PROCESSOR_", "DYLD_"),
    *("CUDA_", "NVIDIA_", "CUBLAS_", "CUDNN_", "HIP_", "HSA_", "ROCR_", "ROCM_", "ROCBLAS_", "HIPBLASLT_", "MIOPEN_"),
    *("GPU_", "AMD_", "TORCH", "PYTORCH_", "TRITON_", "OMP_", "MKL_", "OPENBLAS_", "KMP_", "GOMP_", "DNNL_", "ONEDNN_"),
)
_CACHES = ("_CACHE_DIR", "_CACHE_PATH", "TORCH_HOME", "MIOPEN_USER_DB_PATH", "PYTHONPYCACHEPREFIX")


def passed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """Those variables of which a worker's interpreter and libraries make use.

    Not among them: tokens and passwords (``HF_TOKEN``, ``AWS_…``), the addresses of the session bus, of the display
    and of agents for keys; nor folders for caches, which a confined worker could not write.
    """
    return {name: value for name, value in environment.items() if _is_passed_on(name.upper())}


def _is_passed_on(name: str) -> bool:
    return name in _NAMES or (name.startswith(_PREFIXES) and not name.endswith(_CACHES))
