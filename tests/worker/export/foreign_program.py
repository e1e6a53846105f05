"""Somebody else's program: loads exports with public libraries only, and writes what the models compute.

It is started without this checkout on its path, as `python -I -S foreign_program.py SITE_PACKAGES JOBS`.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
assert importlib.util.find_spec("core") is None, "Workerbee is on the path"

import torch  # noqa: E402 - the path comes first
from safetensors.torch import load_file, save_file  # noqa: E402


def load_transformers(job: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The model, and the text that its tokenizer makes of the inputs and the model of a prompt."""
    import transformers

    auto = getattr(transformers, job["auto"])
    folder = Path(job["folder"])
    if job["base"] is not None:
        from peft import PeftModel

        base = folder / "base" if job["base"] == "base" else job["base"]
        model = PeftModel.from_pretrained(auto.from_pretrained(base, revision=job["revision"]), folder)
    else:
        model = auto.from_pretrained(folder)
    return model.eval(), {}


def plain_words(job: dict[str, Any], model: Any) -> dict[str, Any]:
    """The sums of a model that adds; how another one goes on, and what has been loaded for that."""
    if hasattr(model, "add"):
        return {"sums": [model.add(*pair) for pair in job["pairs"]]}
    said: dict[str, Any] = {"continued": model.continued(job["prompt"], 8), "modules": [*sys.modules]}
    return said | texts(job, model)


def texts(job: dict[str, Any], model: Any) -> dict[str, Any]:
    """What the tokenizer makes of a text and back; how the model goes on where it can."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(job["folder"])
    tokens = tokenizer(job["text"], add_special_tokens=False)["input_ids"]
    said: dict[str, Any] = {"tokens": tokens, "text": tokenizer.decode(tokens), "mask": tokenizer.mask_token_id}
    if job["auto"] == "AutoModelForCausalLM":
        prompt = torch.tensor([tokens[:8]])
        attended = torch.ones_like(prompt)
        made = model.generate(input_ids=prompt, attention_mask=attended, max_new_tokens=8, do_sample=False)
        said["continued"] = tokenizer.decode(made[0])
    return said


def colours(job: dict[str, Any], model: Any) -> dict[str, Any]:
    """What the image processor makes of a picture, and the classes' names."""
    from PIL import Image
    from transformers import AutoImageProcessor

    processor = AutoImageProcessor.from_pretrained(job["folder"])
    with Image.open(job["picture"]) as picture:
        pixels = processor(picture, return_tensors="pt")["pixel_values"]
    names = [model.config.id2label[number] for number in range(model.config.num_labels)]
    return {"pixels": pixels.flatten().tolist(), "names": names}


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Compute the logits of the inputs, and write them beside the inputs."""
    torch.manual_seed(0)
    if job["auto"] is None:
        sys.path.insert(0, job["folder"])
        sys.modules.pop("model", None)
        model = importlib.import_module("model").load()
        sys.path.pop(0)
        with torch.inference_mode():
            logits = model(load_file(job["inputs"])["inputs"])
        said = plain_words(job, model)
    else:
        model, said = load_transformers(job)
        key = "pixel_values" if "Image" in job["auto"] else "input_ids"
        with torch.inference_mode():
            logits = model(**{key: load_file(job["inputs"])["inputs"]}).logits
        said = colours(job, model) if "Image" in job["auto"] else texts(job, model)
    save_file({"logits": logits.detach().contiguous()}, f"{job['inputs']}.logits")
    return said


torch.set_num_threads(1)
print(json.dumps([run(job) for job in json.loads(Path(sys.argv[2]).read_text())]))
