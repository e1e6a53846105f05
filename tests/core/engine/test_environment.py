"""What a worker is told of a person's environment."""

from __future__ import annotations

from core.engine.environment import passed_on

KEPT = {
    "PATH": "/usr/bin",
    "HOME": "/home/anna",
    "LC_ALL": "de_DE.UTF-8",
    "CUDA_VISIBLE_DEVICES": "1",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    "OMP_NUM_THREADS": "4",
    "https_proxy": "http://proxy:3128",
    "HF_ENDPOINT": "https://hub.example",
    "LD_LIBRARY_PATH": "/usr/local/cuda/lib64",
    "WORKERBEE_CONFINEMENT": "off",
}
SECRET = {
    "HF_TOKEN": "hf_x",
    "HUGGING_FACE_HUB_TOKEN": "hf_x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "GITHUB_TOKEN": "x",
    "WANDB_API_KEY": "x",
    "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "XDG_RUNTIME_DIR": "/run/user/1000",
    "DISPLAY": ":0",
    "WAYLAND_DISPLAY": "wayland-0",
    "XAUTHORITY": "/home/anna/.Xauthority",
}


def test_settings_of_the_engines_libraries_hold_and_secrets_stay_with_the_person() -> None:
    assert passed_on(KEPT | SECRET) == KEPT


def test_folders_for_caches_stay_behind_because_a_confined_worker_could_not_write_there() -> None:
    caches = {"TORCHINDUCTOR_CACHE_DIR": "/tmp/torchinductor_anna", "CUDA_CACHE_PATH": "/var/cuda", "TORCH_HOME": "/x"}
    assert passed_on(KEPT | caches) == KEPT
