"""What is not finite and does no harm; two things that are not finite, of which one is the cause."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "root_and_log": (
        "nan-origin",
        """
 net = nn.Linear(4, 4)
 x = torch.randn(8, 4)
-h = net(x)
+h = net(x).exp()
 u = torch.sqrt(h)
 v = torch.log(h)
 s = v + u
 c = s.mean()
 stop()
 c.backward()
""",
    ),
    "large_log": (
        "log-of-zero",
        """
 net = nn.Linear(64, 2048)
-p = torch.relu(net(torch.randn(64, 64)))
+p = net(torch.randn(64, 64)).sigmoid()
 c = -p.log().mean()
 stop()
 c.backward()
""",
    ),
}

TRAPS: dict[str, tuple[str, str]] = {
    "padded_rows_replaced": (
        "masked-row",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
     def forward(self, x, pad):
         scores = self.q(x) @ self.k(x).transpose(1, 2) / 2
         scores = scores.masked_fill(pad[:, None, :], float("-inf"))
         weights = scores.softmax(-1)
         kept = torch.nan_to_num(weights)
         return kept @ self.v(x)
 net, head = Attention(), nn.Linear(4, 2)
 o = torch.optim.Adam([*net.parameters(), *head.parameters()])
 for _ in range(2):
     x, pad = torch.randn(4, 5, 4), torch.zeros(4, 5, dtype=torch.bool)
     pad[0] = True
     pad[1, 3:] = True
     out = net(x, pad)
     c = F.cross_entropy(head(out.mean(1)), torch.randint(0, 2, (4,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}
