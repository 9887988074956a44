"""What a call changes, by the name of what is called: the one table of effects."""

from __future__ import annotations

# Methods of a module

#: Methods that give the modules in a module.
MODULES = ("children", "modules", "named_children", "named_modules")
#: Methods that give the parameters of a module.
PARAMETERS = ("parameters", "named_parameters")
#: Methods that only read what is in a module.
READING = frozenset((*MODULES, *PARAMETERS, "buffers", "named_buffers", "state_dict"))
#: Methods that set the mode of a module.
SETTING_MODE = ("train", "eval")
#: Methods that move the parameters and buffers of a module, and leave their numbers.
MOVING = ("to", "cpu", "cuda")
#: Calls by these names compute gradients, or train.
TRAINING = ("backward", "fit", "grad", "train")

# Gradients

#: Functions that limit gradients, of the parameters that they are given first: each with the keyword of its limit.
CLIPPING = {
    "clip_grad_norm_": "max_norm",
    "clip_grad_norm": "max_norm",
    "clip_grads_with_norm_": "max_norm",
    "clip_grad_value_": "clip_value",
}
#: Functions and methods of trainers that limit gradients, whatever they are given.
CLIPPING_OF_ANY = (*CLIPPING, "clip_gradients")
#: What the names of such helpers of the program begin with.
CLIPPING_BEGINS = "clip_grad"
#: Names by which elements, or gradients, are set to 0 or None.
CLEARING = frozenset(("grad", "zero_", "fill_", "_foreach_zero_"))
#: In-place methods that change a gradient and leave something of it.
LEAVING_SOMETHING = frozenset(("add_", "addcdiv_", "addcmul_", "clamp_", "clip_", "div_", "nan_to_num_"))

# Elements of tensors

#: In-place methods by which an optimizer, or an average, updates a parameter.
UPDATING = ("add_", "addcdiv_", "addcmul_", "lerp_", "mul_", "sub_")
#: In-place methods that give a tensor other elements.
WRITING = (*UPDATING, "copy_", "index_add_", "index_copy_", "set_")
#: In-place methods that change no element.
CHANGING_NOTHING = ("requires_grad_", "detach_", "share_memory_", "retain_grad_")

#: In-place methods, and functions of `nn.init`, that make each element 0, or 1.
FILLING_WITH_ZERO = ("zeros_", "zero_")
FILLING_WITH_ONE = ("ones_",)
#: In-place methods, and functions of `nn.init`, that make each element the number that they are given.
FILLING = ("constant_", "fill_")

# Other processes

#: Functions that bring what several processes have trained or computed together.
COLLECTIVES = tuple(
    "all_reduce all_reduce_coalesced reduce_scatter reduce_scatter_tensor all_gather all_gather_into_tensor"
    " average_parameters average_gradients".split()
)

# Containers and variables

#: Methods that put their last argument, or its items, into a list.
PUTTING_INTO_LISTS = ("append", "appendleft", "extend", "extendleft", "insert")
#: Methods that keep what they are given.
PUTTING = (*PUTTING_INTO_LISTS, "add", "put", "setdefault", "update")
#: Methods that take items out of a container.
TAKING = ("clear", "discard", "pop", "popitem", "popleft", "remove")
#: Builtins that reach the variables of a function without naming them.
REACHING_VARIABLES = ("eval", "exec", "locals", "vars")
