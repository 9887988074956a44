"""A model of the user's own that computes its loss, an evaluation and a callback."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.modeling_outputs import SequenceClassifierOutput


class Points(Dataset):
    def __init__(self):
        self.x = torch.randn(32, 8)
        self.y = (self.x[:, 0] + self.x[:, 1] > 0).long() + (self.x[:, 2] > 0.5).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"x": self.x[index], "labels": self.y[index]}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(16, 3)

    def forward(self, x, labels=None):
        hidden = self.body(x)
        logits = self.head(hidden)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)


class Watching(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, optimizer=None, **kwargs):
        steps = state.global_step
        return control

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        loss = metrics["eval_loss"]
        return control


def accuracy(prediction):
    right = prediction.predictions.argmax(-1) == prediction.label_ids
    return {"accuracy": float(right.mean())}


def train():
    torch.manual_seed(0)
    arguments = TrainingArguments(
        max_steps=4,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=16,
        learning_rate=1e-2,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(
        Classifier(),
        arguments,
        train_dataset=Points(),
        eval_dataset=Points(),
        compute_metrics=accuracy,
        callbacks=[Watching()],
    )
    trainer.train()
