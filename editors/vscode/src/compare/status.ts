// The status bar item of a comparison: against what, what became of all of it, and a click that leaves.

import * as vscode from "vscode";
import type { Model } from "../model";
import { escapeMarkdown } from "../text";
import { comparisonText } from "./text";

export class ComparisonStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("proflens.comparison", vscode.StatusBarAlignment.Left, 9);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly model: Model) {
    this.item.name = "Proflens comparison";
    this.item.command = "proflens.stopComparing";
    this.subscriptions = [this.item, model.onDidChange(() => this.draw())];
  }

  /** The text of the item, for the tests; empty if nothing is compared. */
  get text(): string {
    return this.model.comparison ? this.item.text : "";
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private draw(): void {
    const { comparison } = this.model;
    if (!comparison) {
      this.item.hide();
      return;
    }
    this.item.text = comparisonText(comparison);
    const tooltip = new vscode.MarkdownString("", true);
    tooltip.isTrusted = true;
    tooltip.appendMarkdown(`**Compared with ${escapeMarkdown(comparison.title)}**\n\n`);
    for (const it of comparison.sentence.split("\n")) tooltip.appendMarkdown(`${escapeMarkdown(it)}\n\n`);
    tooltip.appendMarkdown(
      "A click stops comparing. [List what changed](command:proflens.orderByDifference) · [Compare with another…](command:proflens.compareWith)",
    );
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = {
      label: `Proflens: compared with ${comparison.title}, ${comparison.active.text}. Stop comparing.`,
      role: "button",
    };
    this.item.show();
  }
}
