"""Programs with one fault, and the same without it; each has a rule that its stop, or its lines, must show or not show."""

from __future__ import annotations

#: name: rule, the program, the program without the fault
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "cleared_before_step": (
        "step-without-grads",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        stop()
        optimizer.step()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
""",
    ),
    "clipped_while_scaled": (
        "clip-before-unscale",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler('cpu')
    for step in range(2):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        stop()
        scaler.step(optimizer)
        scaler.update()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler('cpu')
    for step in range(2):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        stop()
        scaler.step(optimizer)
        scaler.update()
""",
    ),
    "stepped_past_scaler": (
        "scaler-bypassed",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler('cpu')
    for step in range(2):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        stop()
        optimizer.step()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler('cpu')
    for step in range(2):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        stop()
        scaler.step(optimizer)
        scaler.update()
""",
    ),
    "target_is_online": (
        "aliased-models",
        """
    class Agent:
        def __init__(self):
            self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
            self.target = self.online
            self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        def update(self):
            s, a, r, n = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32), torch.randn(32, 4)
            q = self.online(s).gather(1, a).squeeze(1)
            with torch.no_grad(): nq = self.target(n).max(1)[0]
            loss = F.smooth_l1_loss(q, r + 0.9 * nq)
            self.optimizer.zero_grad()
            loss.backward()
            stop()
            self.optimizer.step()
    agent = Agent()
    agent.update()
""",
        """
    class Agent:
        def __init__(self):
            self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
            self.target = copy.deepcopy(self.online)
            self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        def update(self):
            s, a, r, n = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32), torch.randn(32, 4)
            q = self.online(s).gather(1, a).squeeze(1)
            with torch.no_grad(): nq = self.target(n).max(1)[0]
            loss = F.smooth_l1_loss(q, r + 0.9 * nq)
            self.optimizer.zero_grad()
            loss.backward()
            stop()
            self.optimizer.step()
    agent = Agent()
    agent.update()
""",
    ),
    "bootstrapped_target": (
        "target-requires-grad",
        """
    class Agent:
        def __init__(self):
            self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
            self.target = copy.deepcopy(self.online)
            self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        def update(self):
            s, a, r, n = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32), torch.randn(32, 4)
            q = self.online(s).gather(1, a).squeeze(1)
            nq = self.target(n).max(1)[0]
            loss = F.smooth_l1_loss(q, r + 0.9 * nq)
            self.optimizer.zero_grad()
            loss.backward()
            stop()
            self.optimizer.step()
    agent = Agent()
    agent.update()
""",
        """
    class Agent:
        def __init__(self):
            self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
            self.target = copy.deepcopy(self.online)
            self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        def update(self):
            s, a, r, n = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32), torch.randn(32, 4)
            q = self.online(s).gather(1, a).squeeze(1)
            with torch.no_grad(): nq = self.target(n).max(1)[0]
            loss = F.smooth_l1_loss(q, r + 0.9 * nq)
            self.optimizer.zero_grad()
            loss.backward()
            stop()
            self.optimizer.step()
    agent = Agent()
    agent.update()
""",
    ),
    "double_sigmoid": (
        "double-sigmoid",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 2, (32, 1)).float()
    out = model(x)
    loss = F.binary_cross_entropy_with_logits(out, y)
    stop()
    loss.backward()
    optimizer.step()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 2, (32, 1)).float()
    out = model(x)
    loss = F.binary_cross_entropy_with_logits(out, y)
    stop()
    loss.backward()
    optimizer.step()
""",
    ),
    "logits_into_nll": (
        "nll-input-not-log",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    out = model(x)
    loss = F.nll_loss(out, y)
    stop()
    loss.backward()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    out = model(x).log_softmax(1)
    loss = F.nll_loss(out, y)
    stop()
    loss.backward()
    optimizer.step()
""",
    ),
    "probabilities_into_nll": (
        "nll-input-not-log",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    out = model(x).softmax(1)
    loss = F.nll_loss(out, y)
    stop()
    loss.backward()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    out = torch.log(model(x).softmax(1))
    loss = F.nll_loss(out, y)
    stop()
    loss.backward()
    optimizer.step()
""",
    ),
    "probabilities_into_kl": (
        "kl-input-not-log",
        """
    student, teacher = nn.Linear(8, 4), nn.Linear(8, 4)
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
    x = torch.randn(32, 8)
    with torch.no_grad(): t = teacher(x).softmax(1)
    s = F.softmax(student(x), 1)
    loss = F.kl_div(s, t, reduction='batchmean')
    stop()
    loss.backward()
    optimizer.step()
""",
        """
    student, teacher = nn.Linear(8, 4), nn.Linear(8, 4)
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
    x = torch.randn(32, 8)
    with torch.no_grad(): t = teacher(x).softmax(1)
    s = F.log_softmax(student(x), 1)
    loss = F.kl_div(s, t, reduction='batchmean')
    stop()
    loss.backward()
    optimizer.step()
""",
    ),
    "softmax_over_batch": (
        "softmax-wrong-dim",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    out = F.log_softmax(model(x), dim=0)
    loss = F.nll_loss(out, y)
    loss.backward()
    stop()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    out = F.log_softmax(model(x), dim=1)
    loss = F.nll_loss(out, y)
    loss.backward()
    stop()
    optimizer.step()
""",
    ),
    "targets_all_ignored": (
        "all-targets-ignored",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    y[:] = -100
    loss = F.cross_entropy(model(x), y)
    stop()
    loss.backward()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    y[:20] = -100
    loss = F.cross_entropy(model(x), y)
    stop()
    loss.backward()
    optimizer.step()
""",
    ),
    "loss_of_itself": (
        "target-is-prediction",
        """
    model = nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randn(32, 8)
    out = model(x)
    loss = F.mse_loss(out, out)
    stop()
    loss.backward()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(32, 8), torch.randn(32, 8)
    out = model(x)
    loss = F.mse_loss(out, x)
    stop()
    loss.backward()
    optimizer.step()
""",
    ),
    "negated_loss": (
        "loss-sign",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        loss = -F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
""",
    ),
    "classes_reshaped": (
        "class-dim",
        """
    model = nn.Linear(8, 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(4, 7, 8), torch.randint(0, 5, (4, 7))
    logits = model(x)
    loss = F.cross_entropy(logits.reshape(4, 5, 7), y)
    loss.backward()
    stop()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(4, 7, 8), torch.randint(0, 5, (4, 7))
    logits = model(x)
    loss = F.cross_entropy(logits.transpose(1, 2), y)
    loss.backward()
    stop()
    optimizer.step()
""",
    ),
    "sqrt_of_zero": (
        "nan-in-grad-only",
        """
    model = nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(32, 8)
    h = model(x) - model(x).detach()
    d = torch.sqrt(h.pow(2))
    loss = d.mean()
    loss.backward()
    stop()
    optimizer.step()
""",
        """
    model = nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(32, 8)
    h = model(x) - model(x).detach()
    d = torch.sqrt(h.pow(2) + 1e-6)
    loss = d.mean()
    loss.backward()
    stop()
    optimizer.step()
""",
    ),
    "row_all_masked": (
        "masked-row",
        """
    q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
    optimizer = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], lr=1e-3)
    x, pad = torch.randn(4, 6, 8), torch.zeros(4, 6, dtype=torch.bool)
    pad[1, :] = True
    scores = q(x) @ k(x).transpose(1, 2)
    scores = scores.masked_fill(pad[:, None, :], float('-inf'))
    att = scores.softmax(-1)
    loss = (att @ v(x)).pow(2).mean()
    stop()
    loss.backward()
""",
        """
    q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
    optimizer = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], lr=1e-3)
    x, pad = torch.randn(4, 6, 8), torch.zeros(4, 6, dtype=torch.bool)
    pad[1, 3:] = True
    scores = q(x) @ k(x).transpose(1, 2)
    scores = scores.masked_fill(pad[:, None, :], float('-inf'))
    att = scores.softmax(-1)
    loss = (att @ v(x)).pow(2).mean()
    stop()
    loss.backward()
""",
    ),
    "std_of_one": (
        "std-of-one",
        """
    model = nn.Linear(8, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(1, 8)
    out = model(x)
    loss = (out - out.mean(0)).div(out.std(0) + 1e-6).pow(2).mean() + out.mean()
    stop()
    loss.backward()
""",
        """
    model = nn.Linear(8, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(16, 8)
    out = model(x)
    loss = (out - out.mean(0)).div(out.std(0) + 1e-6).pow(2).mean() + out.mean()
    stop()
    loss.backward()
""",
    ),
    "functional_dropout": (
        "dropout-in-eval",
        """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 2)
        def forward(self, x):
            return self.b(F.dropout(torch.relu(self.a(x)), 0.5))
    net = Net()
    net.eval()
    x = torch.randn(16, 8)
    with torch.no_grad():
        out = net(x)
        stop()
""",
        """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 2)
        def forward(self, x):
            return self.b(F.dropout(torch.relu(self.a(x)), 0.5, training=self.training))
    net = Net()
    net.eval()
    x = torch.randn(16, 8)
    with torch.no_grad():
        out = net(x)
        stop()
""",
    ),
    "constant_init": (
        "symmetric-init",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    for q in model.parameters(): nn.init.constant_(q, 0.1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(32, 8)
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    stop()
    optimizer.step()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    pass
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(32, 8)
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    stop()
    optimizer.step()
""",
    ),
    "copied_weights": (
        "tie-broken",
        """
    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
            self.head.weight.data.copy_(self.embed.weight.data)
        def forward(self, x): return self.head(self.embed(x))
    model = LM()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randint(0, 20, (4, 6))
    loss = F.cross_entropy(model(x).transpose(1, 2), x)
    loss.backward()
    stop()
""",
        """
    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
            self.head.weight = self.embed.weight
        def forward(self, x): return self.head(self.embed(x))
    model = LM()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randint(0, 20, (4, 6))
    loss = F.cross_entropy(model(x).transpose(1, 2), x)
    loss.backward()
    stop()
""",
    ),
    "no_activation": (
        "no-nonlinearity",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    loss = F.cross_entropy(model(x), y)
    stop()
    loss.backward()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    loss = F.cross_entropy(model(x), y)
    stop()
    loss.backward()
""",
    ),
    "scaled_twice": (
        "normalized-twice",
        """
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images, y = torch.randint(0, 256, (8, 3, 10, 10)).float() / 255, torch.randint(0, 4, (8,))
    images = images / 255
    loss = F.cross_entropy(model(images), y)
    stop()
    loss.backward()
""",
        """
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images, y = torch.randint(0, 256, (8, 3, 10, 10)).float() / 255, torch.randint(0, 4, (8,))
    pass
    loss = F.cross_entropy(model(images), y)
    stop()
    loss.backward()
""",
    ),
    "sorted_labels": (
        "one-class-batch",
        """
    from torch.utils.data import TensorDataset, DataLoader
    X, Y = torch.randn(128, 8), torch.arange(128) // 32
    loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=False)
    model = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
""",
        """
    from torch.utils.data import TensorDataset, DataLoader
    X, Y = torch.randn(128, 8), torch.arange(128) // 32
    loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
    model = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
""",
    ),
    "overlapping_splits": (
        "split-overlap",
        """
    data = torch.randn(100, 8)
    train_x, val_x = data[:80], data[60:]
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = F.mse_loss(model(train_x), train_x.sum(1, keepdim=True))
    stop()
    loss.backward()
""",
        """
    data = torch.randn(100, 8)
    train_x, val_x = data[:80], data[80:]
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = F.mse_loss(model(train_x), train_x.sum(1, keepdim=True))
    stop()
    loss.backward()
""",
    ),
    "eps_in_half": (
        "eps-underflow",
        """
    model = nn.Linear(8, 4).to(torch.float16)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
    loss = F.cross_entropy(model(x.half()).float(), y)
    loss.backward()
    stop()
""",
        """
    model = nn.Linear(8, 4).to(torch.float16)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-4)
    x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
    loss = F.cross_entropy(model(x.half()).float(), y)
    loss.backward()
    stop()
""",
    ),
    "bfloat16_weights": (
        "update-lost",
        """
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
    loss = F.cross_entropy(model(x.to(model[0].weight.dtype)).float(), y)
    optimizer.zero_grad()
    loss.backward()
    stop()
    optimizer.step()
""",
        """
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(torch.float32)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
    loss = F.cross_entropy(model(x.to(model[0].weight.dtype)).float(), y)
    optimizer.zero_grad()
    loss.backward()
    stop()
    optimizer.step()
""",
    ),
    "decay_each_batch": (
        "lr-too-low",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for i in range(40):
        x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if True: scheduler.step()
    stop()
""",
        """
    model = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for i in range(40):
        x, y = torch.randn(16, 8), torch.randint(0, 4, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 20 == 19: scheduler.step()
    stop()
""",
    ),
    "require_grad": (
        "freeze-typo",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    for q in model[0].parameters(): q.require_grad = False
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    stop()
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    for q in model[0].parameters(): q.requires_grad = False
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    stop()
""",
    ),
    "reentrant_checkpoint": (
        "checkpoint-cut",
        """
    from torch.utils.checkpoint import checkpoint
    trunk, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
    optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1)
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    h = checkpoint(trunk, x, use_reentrant=True)
    loss = F.cross_entropy(head(h), y)
    loss.backward()
    stop()
""",
        """
    from torch.utils.checkpoint import checkpoint
    trunk, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
    optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1)
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    h = checkpoint(trunk, x, use_reentrant=False)
    loss = F.cross_entropy(head(h), y)
    loss.backward()
    stop()
""",
    ),
    "scaled_leaf": (
        "non-leaf-grad",
        """
    w = (torch.randn(8, 1, requires_grad=True) * 0.01)
    x = torch.randn(32, 8)
    y = x.sum(1, keepdim=True)
    for i in range(3):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        stop()
        with torch.no_grad():
            if w.grad is not None: w -= 0.1 * w.grad; w.grad = None
            else: break
""",
        """
    w = (torch.randn(8, 1) * 0.01).requires_grad_()
    x = torch.randn(32, 8)
    y = x.sum(1, keepdim=True)
    for i in range(3):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        stop()
        with torch.no_grad():
            if w.grad is not None: w -= 0.1 * w.grad; w.grad = None
            else: break
""",
    ),
    "list_of_losses": (
        "retained-graph",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = []
    for step in range(4):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
        history.append(loss)
""",
        """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = []
    for step in range(4):
        x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        stop()
        optimizer.step()
        history.append(loss.item())
""",
    ),
    "difference_by_hand": (
        "loss-broadcast",
        """
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(64, 5)
    target = x.sum(1)
    out = model(x)
    err = ((out - target) ** 2).mean()
    stop()
    err.backward()
""",
        """
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(64, 5)
    target = x.sum(1)
    out = model(x).squeeze(1)
    err = ((out - target) ** 2).mean()
    stop()
    err.backward()
""",
    ),
    "trainer_left_in_eval": (
        "eval-during-training",
        """
    class Trainer:
        def __init__(self):
            self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
            self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        def evaluate(self):
            self.net.eval()
            with torch.no_grad(): return self.net(torch.randn(8, 8)).mean().item()
        def step(self, batch):
            pass
            l = F.cross_entropy(self.net(batch['a']), batch['b'])
            self.opt.zero_grad()
            l.backward()
            stop()
            self.opt.step()
    t = Trainer()
    for i in range(3):
        t.step({'a': torch.randn(16, 8), 'b': torch.randint(0, 2, (16,))})
        t.evaluate()
""",
        """
    class Trainer:
        def __init__(self):
            self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
            self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        def evaluate(self):
            self.net.eval()
            with torch.no_grad(): return self.net(torch.randn(8, 8)).mean().item()
        def step(self, batch):
            self.net.train()
            l = F.cross_entropy(self.net(batch['a']), batch['b'])
            self.opt.zero_grad()
            l.backward()
            stop()
            self.opt.step()
    t = Trainer()
    for i in range(3):
        t.step({'a': torch.randn(16, 8), 'b': torch.randint(0, 2, (16,))})
        t.evaluate()
""",
    ),
    "hidden_in_module": (
        "graph-freed",
        """
    class R(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.out, self.h = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 1), None
        def forward(self, x):
            o, self.h = self.rnn(x, self.h)
            return self.out(o)
    r = R(); opt = torch.optim.SGD(r.parameters(), lr=0.1)
    for i in range(2):
        x = torch.randn(3, 5, 4)
        y = r(x)
        loss = y.pow(2).mean()
        opt.zero_grad()
        if i: stop()
        loss.backward()
        opt.step()
""",
        """
    class R(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.out, self.h = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 1), None
        def forward(self, x):
            o, self.h = self.rnn(x, self.h if self.h is None else self.h.detach())
            return self.out(o)
    r = R(); opt = torch.optim.SGD(r.parameters(), lr=0.1)
    for i in range(2):
        x = torch.randn(3, 5, 4)
        y = r(x)
        loss = y.pow(2).mean()
        opt.zero_grad()
        if i: stop()
        loss.backward()
        opt.step()
""",
    ),
}
