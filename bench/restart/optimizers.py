"""
Optimizers of the training scripts: AdamW or SGD with momentum, and fp32 master weights beside weights in bfloat16.
"""
import torch

ADAM_BETAS = (0.9, 0.95)
WEIGHT_DECAY = 0.05  # of AdamW, in parts of the rate; norms and biases have none
MOMENTUM = 0.9
SGD_WEIGHT_DECAY = 5e-4  # is added to the gradients
SGD_RATE_FACTOR = 50  # in parts of AdamW's rate


def add_optimizer_options(parser):
    parser.add_argument("--optimizer", choices=("adamw", "sgd"), default="adamw")
    parser.add_argument(
        "--masters", action="store_true", help="weights in bf16, with fp32 master weights in the optimizer's state"
    )


def optimizer_of(model, options):
    """The optimizer that the command line names. Its rate is given by set_rate."""
    sgd = options.optimizer == "sgd"
    matrices = [parameter for parameter in model.parameters() if parameter.dim() == 2]
    vectors = [parameter for parameter in model.parameters() if parameter.dim() != 2]
    groups = [
        {"params": matrices, "weight_decay": SGD_WEIGHT_DECAY if sgd else WEIGHT_DECAY},
        {"params": vectors, "weight_decay": 0},
    ]
    if sgd:
        optimizer = torch.optim.SGD(groups, lr=1.0, momentum=MOMENTUM)
    else:
        optimizer = torch.optim.AdamW(groups, lr=1.0, betas=ADAM_BETAS)
    if options.masters:
        keep_masters(optimizer)
    return optimizer


def set_rate(optimizer, rate):
    """Sets the learning rate. `rate` is AdamW's; SGD with momentum gets what is about as fast."""
    factor = SGD_RATE_FACTOR if isinstance(optimizer, torch.optim.SGD) else 1
    for group in optimizer.param_groups:
        group["lr"] = rate * factor


def keep_masters(optimizer):
    """
    Mixed precision: parameters have values of bfloat16, and the optimizer steps on their fp32 masters, which are
    `master` in its state. A parameter without one, as before the first step, is its own master. Arithmetic stays in
    fp32.
    """
    step = optimizer.step

    def parameters():
        return [parameter for group in optimizer.param_groups for parameter in group["params"]]

    def stepped():
        with torch.no_grad():
            for parameter in parameters():
                if parameter in optimizer.state:
                    parameter.copy_(optimizer.state[parameter]["master"])
            step()
            for parameter in parameters():
                if parameter in optimizer.state:
                    optimizer.state[parameter]["master"] = parameter.clone()
            round_to_bfloat16(parameters())

    with torch.no_grad():
        round_to_bfloat16(parameters())
    optimizer.step = stepped


def round_to_bfloat16(parameters):
    for parameter in parameters:
        parameter.copy_(parameter.to(torch.bfloat16))
