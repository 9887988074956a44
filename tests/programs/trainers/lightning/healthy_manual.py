"""Manual optimization: two networks with an optimizer each, trained against each other."""

import lightning as L
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def loader():
    x = torch.randn(32, 8)
    y = (x[:, 0] + x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()
    return DataLoader(TensorDataset(x, y), batch_size=16)


class Adversaries(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
        self.judge = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Dropout(0.1), nn.Linear(16, 1))

    def training_step(self, batch, batch_idx):
        real, _ = batch
        of_maker, of_judge = self.optimizers()
        made = self.maker(torch.randn(len(real), 4))
        yes, no = torch.ones(len(real), 1), torch.zeros(len(real), 1)

        self.toggle_optimizer(of_judge)
        real_loss = F.binary_cross_entropy_with_logits(self.judge(real), yes)
        made_loss = F.binary_cross_entropy_with_logits(self.judge(made.detach()), no)
        judge_loss = real_loss + made_loss
        of_judge.zero_grad()
        self.manual_backward(judge_loss)
        of_judge.step()
        self.untoggle_optimizer(of_judge)

        self.toggle_optimizer(of_maker)
        maker_loss = F.binary_cross_entropy_with_logits(self.judge(made), yes)
        of_maker.zero_grad()
        self.manual_backward(maker_loss)
        of_maker.step()
        self.untoggle_optimizer(of_maker)
        self.log_dict({"judge": judge_loss, "maker": maker_loss})

    def validation_step(self, batch, batch_idx):
        real, _ = batch
        made = self.maker(torch.randn(len(real), 4))
        distance = (made.mean(0) - real.mean(0)).norm()
        self.log("distance", distance)

    def configure_optimizers(self):
        of_maker = torch.optim.Adam(self.maker.parameters(), lr=1e-3, betas=(0.5, 0.9))
        of_judge = torch.optim.Adam(self.judge.parameters(), lr=1e-3, betas=(0.5, 0.9))
        return [of_maker, of_judge]


def train():
    torch.manual_seed(0)
    trainer = L.Trainer(
        max_steps=6,
        num_sanity_val_steps=0,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Adversaries(), loader(), loader())
