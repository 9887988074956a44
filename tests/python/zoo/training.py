"""What a training program holds besides tensors: modules, optimizers, schedulers, data, graphs, devices."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import lr_scheduler, swa_utils
from torch.utils import data

from .made_training import (
    SINCE_2_6,
    Halves,
    Longer,
    Momentum,
    Own,
    Rows,
    Stream,
    cyclic,
    doubling,
    factor,
    freed,
    freed_storage,
    half_on_meta,
    handle,
    hooked,
    in_a_group,
    mixed_modes,
    model,
    named,
    only_the_last,
    over,
    partly_frozen,
    poisoned,
    quantized,
    quiet,
    removed,
    run_backward,
    said,
    scaled,
    scheduled,
    started,
    tensors,
    tied,
    traced,
    two_groups,
    unfinished,
    used,
    used_loss,
    with_nan,
    with_nan_buffer,
    with_nan_gradient,
)
from .specimen import Specimen, Zoo

MODULES: Zoo = {
    "Linear": said(lambda: nn.Linear(512, 10), "Linear(512 → 10) · 5.1K params · train · grads None", "weight  float32[10, 512]"),
    "Conv2d": said(lambda: nn.Conv2d(3, 16, (3, 5)).eval(), "Conv2d(3 → 16, 3×5) · 736 params · eval · grads None"),
    "LSTM": said(lambda: nn.LSTM(4, 5, num_layers=2), "LSTM(4 → 5, 2 layers) · 460 params · train · grads None"),
    "MultiheadAttention": said(lambda: nn.MultiheadAttention(8, 2), "MultiheadAttention(8, 2 heads) · 288 params · train · grads None"),
    "Sequential": said(model, "Sequential(2) · 23 params · train · grads None", "0  Linear(4 → 3)"),
    "ModuleList": said(lambda: nn.ModuleList([nn.ReLU(), nn.ReLU()]), "ModuleList(2) · train"),
    "ModuleDict": said(lambda: nn.ModuleDict({"act": nn.ReLU()}), "ModuleDict(1) · train"),
    "ParameterList": said(lambda: nn.ParameterList([torch.ones(2)]), "ParameterList(1) · 2 params · train · grads None"),
    "ParameterDict": said(lambda: nn.ParameterDict({"w": torch.ones(2)}), "ParameterDict(1) · 2 params · train · grads None"),
    "own module": said(Own, "Own · 8 params · train · grads None", "fc  Linear(3 → 2)", "steps  4"),
    "trained module": said(lambda: used(model(), 1, 4), "Sequential(2) · 23 params · train · has grads"),
    "module with NaN": said(
        with_nan, "Sequential(2) · 23 params · NaN in 1.weight · Inf in 1.bias · train · grads None", "1  Linear(3 → 2) · 8 params · NaN in weight",
    ),
    "module with a NaN gradient": said(with_nan_gradient, "Sequential(2) · 23 params · NaN in 0.weight.grad · train · has grads"),
    "module with a NaN buffer": said(with_nan_buffer, "BatchNorm1d(3) · 6 params · NaN in running_mean · train · grads None"),
    "module of halves": Specimen(lambda: nn.Linear(3, 3).half(), says=("12 params · train",), facts={"bytes": 24}),
    "module whose halves overflow a sum": said(
        lambda: nn.Linear(300, 300, bias=False).half().requires_grad_(False).apply(lambda it: it.weight.fill_(60000)),
        "Linear(300 → 300) · 90.0K params · train · frozen",
    ),
    "frozen module": said(lambda: nn.Linear(3, 2).requires_grad_(False), "Linear(3 → 2) · 8 params · train · frozen"),
    "partly frozen module": said(partly_frozen, "Sequential(2) · 23 params · train · 2 of 4 frozen · has grads"),
    "module in two modes": said(mixed_modes, "Sequential(3) · 10 params · train, 2 inside in eval · grads None"),
    "tied weights": Specimen(tied, says=("Sequential(2) · 15 params",), rows=("≡ value[0].weight",)),
    "lazy module": said(lambda: nn.LazyLinear(3), "LazyLinear(? → 3) · train · 2 parameters uninitialized · grads None"),
    "module that holds itself": Specimen(cyclic, says=("Linear(2 → 2) · 6 params",), rows=("↻ value",)),
    "module not initialized": said(unfinished, "Linear · not initialized"),
    "module with a hook": Specimen(hooked, says=("Linear(2 → 2)",), rows=("registered hooks",)),
    "module with freed weights": Specimen(freed, says=("Linear(8 → 8) · 72 params · ≈ 11 % read · train",), readable=False),
    "module on two devices": said(half_on_meta, "Sequential(2) · 12 params · cpu, meta · train · grads None"),
    "module of ten thousand": said(lambda: nn.Sequential(*(nn.Identity() for _ in range(10_000))), "Sequential(10000) · train"),
    "weight norm": said(
        lambda: nn.utils.parametrizations.weight_norm(nn.Linear(2, 3)), "ParametrizedLinear(2 → 3) · 12 params · parametrized weight · train · grads None",
        needs=("torch.nn.utils.parametrizations.weight_norm",),
    ),
    "spectral norm": Specimen(
        lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(2, 3)), says=("ParametrizedLinear(2 → 3)", "parametrized weight"),
    ),
    "weight norm of old": said(quiet(lambda: nn.utils.weight_norm(nn.Linear(2, 3))), "Linear(2 → 3) · 12 params · train · grads None"),
    "DataParallel": said(lambda: nn.DataParallel(nn.Linear(3, 4)), "DataParallel of Linear(3 → 4) · 16 params · train · grads None"),
    "DistributedDataParallel": in_a_group(
        lambda: nn.parallel.DistributedDataParallel(nn.Linear(3, 4)), "DistributedDataParallel of Linear(3 → 4) · 16 params · train",
    ),
    "AveragedModel": said(lambda: swa_utils.AveragedModel(nn.Linear(3, 4)), "AveragedModel of Linear(3 → 4) · 16 params · train · grads None"),
    "quantized module": Specimen(quiet(quantized), says=("Sequential(1)",)),
    "transformer": Specimen(lambda: nn.Transformer(16, 2, 2, 2, 16), says=("Transformer · ", "params · train")),
}  # fmt: skip

COMPILED: Zoo = {
    "torch.compile of a module": said(
        lambda: torch.compile(nn.Linear(3, 4)), "OptimizedModule of Linear(3 → 4) · 16 params · train · grads None", "_orig_mod  Linear(3 → 4)",
    ),
    "torch.compile of a function": Specimen(lambda: torch.compile(factor), says=("factor(epoch) · torch.compile · made_training.py:",)),
    "scripted module": said(
        quiet(lambda: torch.jit.script(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)))), "RecursiveScriptModule of Sequential · 15 params · train · grads None",
        "weight  float32[3, 2]", "running_mean  float32[3]",
    ),
    "traced module": said(
        quiet(lambda: torch.jit.trace(nn.Linear(2, 3).eval(), torch.ones(1, 2))), "TopLevelTracedModule of Linear · 9 params · eval · grads None",
        "weight  float32[3, 2]",
    ),
    "traced function": Specimen(quiet(lambda: torch.jit.trace(torch.relu, torch.ones(2))), says=("ScriptFunction · ", "(Tensor")),
    "GraphModule": said(traced, "Own · 8 params · graph of 3 nodes · train · grads None", "fc  Linear(3 → 2)"),
    "fx graph": said(lambda: traced().graph, "Graph · 3 nodes: x, fc, output", "[1] fc  Node · fc · call_module fc · of x"),
    "fx node": said(lambda: list(traced().graph.nodes)[1], "Node · fc · call_module fc · of x"),
    "operator": said(lambda: torch.ops.aten.add.Tensor, "OpOverload · aten::add.Tensor"),
}  # fmt: skip

GRAPHS: Zoo = {
    "graph node": said(lambda: (torch.ones(2, requires_grad=True) * 2).grad_fn, "MulBackward0 · 1 input: AccumulateGrad"),
    "graph leaf": said(
        lambda: (torch.ones(2, requires_grad=True) * 2).grad_fn.next_functions[0][0], "AccumulateGrad · leaf float32[2]",
    ),
    "node of an own function": Specimen(
        doubling, says=("DoubleBackward · 1 input: AccumulateGrad · saves 1 tensor",), rows=("factor  2",),
    ),
    "node whose saved tensors are freed": said(lambda: run_backward(), "DoubleBackward · 1 input: AccumulateGrad · saved tensors freed"),
    "graph of a loss": Specimen(lambda: used_loss(), says=("MeanBackward0 · 1 input",), rows=("AddmmBackward0",)),
}  # fmt: skip


OPTIMIZERS: Zoo = {
    "SGD without state": said(
        over(lambda it: torch.optim.SGD(it, lr=0.1)), "SGD · lr 0.1 · 4 tensors", "state  none yet",
        needs=SINCE_2_6,  # before, it kept that there is no momentum
    ),
    "SGD not stepped": said(over(lambda it: torch.optim.SGD(it, lr=0.1), steps=0), "SGD · lr 0.1 · 4 tensors", "state  none yet"),
    "SGD with momentum": said(
        over(lambda it: torch.optim.SGD(it, lr=0.1, momentum=0.9, nesterov=True)), "SGD · lr 0.1, momentum 0.9, nesterov · 4 tensors",
    ),
    "AdamW": said(
        over(torch.optim.AdamW), "AdamW · lr 0.001, betas (0.9, 0.999), eps 1e-8, weight_decay 0.01 · 4 tensors · step 2",
        "‹float32[3, 4]› #0  dict · 3: step ", "‹float32[2]› #3  dict",
    ),
    "AdamW not stepped": said(lambda: torch.optim.AdamW(model().parameters()), "weight_decay 0.01 · 4 tensors"),
    "Adam of two groups": said(
        two_groups, "Adam · 2 groups · lr 0.1 and 0.5 · 4 tensors · step 2", "‹float32[2, 3]› #2 · group 1  dict",
    ),
    "AdamW of named parameters": said(named, "4 tensors · step 2", "‹float32[3, 4]› #0 · 0.weight  dict", needs=SINCE_2_6),
    "Adam with state for some": said(only_the_last, "4 tensors · step 1", "‹float32[2, 3]› #2  dict", "‹float32[2]› #3  dict"),
    "Adam with NaN in a gradient": said(poisoned, "4 tensors · NaN in #1.grad · step 2"),
    "Adam, fused, a tensor as rate": said(
        over(lambda it: torch.optim.Adam(it, lr=torch.tensor(0.01), fused=True)), "Adam · lr 0.01, betas (0.9, 0.999), eps 1e-8, fused · 4 tensors · step 2",
        needs=SINCE_2_6,
    ),
    "Adam, foreach, maximizing": Specimen(
        over(lambda it: torch.optim.Adam(it, foreach=True, maximize=True, amsgrad=True)), says=("amsgrad, maximize, foreach · 4 tensors · step 2",),
    ),
    "Adam that is capturable": Specimen(
        lambda: torch.optim.Adam(model().parameters(), capturable=True), says=("capturable · 4 tensors",),
    ),
    "SparseAdam": said(
        lambda: torch.optim.SparseAdam(nn.Embedding(9, 3, sparse=True).parameters()), "SparseAdam · lr 0.001, betas (0.9, 0.999), eps 1e-8 · 1 tensor",
    ),
    "LBFGS": Specimen(over(lambda it: torch.optim.LBFGS(it)), says=("LBFGS · lr 1 · 4 tensors · ",)),
    "Adagrad": Specimen(over(torch.optim.Adagrad), says=("Adagrad · lr 0.01",)),
    "own optimizer": said(over(lambda it: Momentum(it, lr=0.1)), "Momentum · lr 0.1 · 4 tensors"),
    "state of an optimizer": Specimen(
        lambda: over(torch.optim.AdamW)().state, says=("defaultdict · 4: ‹f32[3,4]›: dict of 3, ‹f32[3]›: dict of 3",), rows=("‹float32[3, 4]› #0  dict",),
    ),
    "state_dict of an optimizer": said(lambda: over(torch.optim.AdamW)().state_dict(), "dict · 2: state dict of 4, param_groups list of 1"),
    "state_dict of a model": Specimen(
        lambda: nn.Transformer(8, 2, 1, 1, 8).state_dict(), says=("OrderedDict · 34: encoder.…n.in_proj_weight f32[24,8], …in_proj_bias f32[24]",),
        rows=("'encoder.layers.0.self_attn.out_proj.weight'  float32[8, 8]",),
    ),
}  # fmt: skip

SCHEDULES: Zoo = {
    "StepLR": said(scheduled(lambda it: lr_scheduler.StepLR(it, 2)), "StepLR · step 3 · lr 0.1 → 0.01 · step_size 2, gamma 0.1"),
    "MultiStepLR": said(
        scheduled(lambda it: lr_scheduler.MultiStepLR(it, [1, 5])), "MultiStepLR · step 3 · lr 0.1 → 0.01 · milestones 1, 5, gamma 0.1",
    ),
    "CosineAnnealingLR": Specimen(
        scheduled(lambda it: lr_scheduler.CosineAnnealingLR(it, 10)), says=("CosineAnnealingLR · step 3 · lr 0.1 → 0.07939 · T_max 10, eta_min 0",),
    ),
    "OneCycleLR": Specimen(scheduled(lambda it: lr_scheduler.OneCycleLR(it, 0.5, total_steps=10)), says=("OneCycleLR · step 3 · lr 0.02 → ", "total_steps 10")),
    "ReduceLROnPlateau": Specimen(
        scheduled(lambda it: lr_scheduler.ReduceLROnPlateau(it, patience=1), 4, metrics=1.0),
        says=("ReduceLROnPlateau · ", "best 1, ", "not better · factor 0.1, patience 1, cooldown 0"),
    ),
    "SequentialLR": Specimen(
        scheduled(lambda it: lr_scheduler.SequentialLR(it, [lr_scheduler.ConstantLR(it), lr_scheduler.StepLR(it, 3)], [2])),
        says=("SequentialLR · step 3", "ConstantLR then [StepLR] at 2"),
    ),
    "ChainedScheduler": Specimen(
        scheduled(lambda it: lr_scheduler.ChainedScheduler([lr_scheduler.ConstantLR(it), lr_scheduler.StepLR(it, 3)])),
        says=("ChainedScheduler · ", "ConstantLR, StepLR"),
    ),
    "LambdaLR": said(scheduled(lambda it: lr_scheduler.LambdaLR(it, factor)), "LambdaLR · step 3 · lr 0.1 → 0.0125 · factor"),
    "SWALR": Specimen(scheduled(lambda it: swa_utils.SWALR(it, 0.05)), says=("SWALR · step 3 · lr ", "anneal_epochs 10")),
    "GradScaler not used": said(lambda: torch.amp.GradScaler("cpu"), "GradScaler · scale 65536 · not used yet", needs=("torch.amp.GradScaler",)),
    "GradScaler in use": said(scaled, "GradScaler · scale 8 · 1 good step of 2,000 to growth", needs=("torch.amp.GradScaler",)),
    "GradScaler disabled": said(quiet(lambda: torch.cuda.amp.GradScaler(enabled=False)), "GradScaler · disabled"),
}  # fmt: skip

DATA: Zoo = {
    "TensorDataset": said(tensors, "TensorDataset · 10 samples · float32[3, 2], int64[]"),
    "TensorDataset with a length of its own": Specimen(lambda: Longer(torch.zeros(3)), says=("Longer · length not asked · float32[]",)),
    "Subset": said(lambda: data.Subset(tensors(), [1, 2]), "Subset · 2 samples of 10 · in TensorDataset"),
    "random split": said(lambda: data.random_split(tensors(), [7, 3])[0], "Subset · 7 samples of 10 · in TensorDataset"),
    "ConcatDataset": said(
        lambda: data.ConcatDataset([tensors(), tensors()]), "ConcatDataset · 20 samples · 2 datasets: TensorDataset, TensorDataset",
    ),
    "ChainDataset": said(lambda: data.ChainDataset([Stream()]), "ChainDataset · length not asked · 1 dataset: Stream"),
    "own dataset": said(Rows, "Rows · length not asked · root '/data'"),
    "own iterable dataset": said(Stream, "Stream · iterable"),
    "DataLoader": said(
        lambda: data.DataLoader(tensors(), 4, shuffle=True), "DataLoader · TensorDataset: 10 samples · batches of 4 · 3 batches · shuffled",
    ),
    "DataLoader of an own dataset": said(
        lambda: data.DataLoader(Rows(), 4, sampler=Halves(), num_workers=2, drop_last=True),  # type: ignore[arg-type]
        "DataLoader · Rows: length not asked · batches of 4 · drops the last · by Halves · 2 workers",
    ),
    "DataLoader without batches": said(lambda: data.DataLoader(Stream(), None), "DataLoader · Stream: length not asked · one by one"),
    "DataLoader on its way": Specimen(
        lambda: started(data.DataLoader(tensors(), 4)), says=("_SingleProcessDataLoaderIter · 1 batch given of 3 · of TensorDataset",),
    ),
    "DataLoader on its way, with workers": Specimen(
        quiet(lambda: started(data.DataLoader(tensors(), 4, num_workers=1))), says=("_MultiProcessingDataLoaderIter · 1 batch given of 3 · 1 worker · ",),
    ),
    "SequentialSampler": said(lambda: data.SequentialSampler(tensors()), "SequentialSampler · 10 samples · of TensorDataset"),
    "RandomSampler": said(lambda: data.RandomSampler(tensors(), True, 4), "RandomSampler · 4 samples · replacement · of TensorDataset"),
    "WeightedRandomSampler": said(lambda: data.WeightedRandomSampler([0.1, 0.9], 5), "WeightedRandomSampler · 5 samples · replacement"),
    "SubsetRandomSampler": said(lambda: data.SubsetRandomSampler([1, 2]), "SubsetRandomSampler · 2 samples"),
    "BatchSampler": said(lambda: data.BatchSampler(data.SequentialSampler(tensors()), 3, False), "BatchSampler · 4 batches · of 3 · by SequentialSampler"),
    "DistributedSampler": said(
        lambda: data.DistributedSampler(tensors(), 4, 1), "DistributedSampler · 3 samples · rank 1 of 4, epoch 0 · shuffle · of TensorDataset",
    ),
    "own sampler": said(Halves, "Halves · share 0.5"),
}  # fmt: skip

RUNTIME: Zoo = {
    "dtype": said(lambda: torch.float32, "torch.float32"),
    "device": said(lambda: torch.device("cuda", 1), "device cuda:1"),
    "layout": said(lambda: torch.sparse_coo, "torch.sparse_coo"),
    "memory format": said(lambda: torch.channels_last, "torch.channels_last"),
    "Size": said(lambda: torch.Size([3, 4]), "Size · 2: 3, 4"),
    "finfo": said(lambda: torch.finfo(torch.float32), "finfo · float32 · −3.403e38…3.403e38 · eps 1.192e-7"),
    "iinfo": said(lambda: torch.iinfo(torch.int64), "iinfo · int64 · −9223372036854775808…9223372036854775807"),
    "Generator": said(lambda: torch.Generator().manual_seed(3), "Generator · seed 3"),
    "default generator": Specimen(lambda: torch.default_generator, says=("Generator · seed ",)),
    "UntypedStorage": said(lambda: torch.ones(100).untyped_storage(), "UntypedStorage · 400 B"),
    "freed storage": said(freed_storage, "UntypedStorage · empty or freed"),
    "shared storage": said(lambda: torch.ones(100).share_memory_().untyped_storage(), "UntypedStorage · 400 B · shared memory"),
    "TypedStorage": said(quiet(lambda: torch.ones(3).storage()), "TypedStorage · float32 · 12 B"),
    "Stream": Specimen(lambda: torch.Stream(device="cpu"), says=("Stream · cpu · default",), needs=("torch.Event",)),
    "Event": Specimen(lambda: torch.Event(device="cpu"), says=("Event · cpu",), needs=("torch.Event",)),
    "hook handle": Specimen(handle, says=("RemovableHandle · id ", "registered")),
    "removed hook handle": Specimen(removed, says=("RemovableHandle · id ", "removed")),
    "autocast": said(lambda: torch.autocast("cpu", dtype=torch.bfloat16), "autocast · cpu · bfloat16"),
    "no_grad": Specimen(torch.no_grad, says=("no_grad",)),
    "process group": in_a_group(lambda: torch.distributed.group.WORLD, "ProcessGroup · rank 0 of 1"),
    "device mesh": in_a_group(
        lambda: torch.distributed.init_device_mesh("cpu", (1,), mesh_dim_names=("dp",)), "DeviceMesh · cpu · dp=1",
        needs=("torch.distributed.init_device_mesh",),
    ),
}  # fmt: skip

SPECIMENS: Zoo = {**MODULES, **COMPILED, **GRAPHS, **OPTIMIZERS, **SCHEDULES, **DATA, **RUNTIME}
