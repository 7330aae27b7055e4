// The task type `proflens`: `proflens record` in a terminal of VS Code's, for our commands and for `tasks.json`.

import * as vscode from "vscode";
import { argumentsOf, type Definition, textOf } from "./commandLine";

export const TYPE = "proflens";

/** Finds the program `proflens`. Throws an error for users. */
export type Program = () => string;

/** The task that records something in a workspace folder. Throws an error for users. */
export function taskOf(
  definition: Definition,
  folder: vscode.WorkspaceFolder,
  program: Program,
  name?: string,
): vscode.Task {
  const args = argumentsOf(definition, folder.uri.fsPath, process.platform);
  const run = new vscode.ProcessExecution(program(), args, {
    cwd: definition.cwd ?? folder.uri.fsPath,
    ...(definition.env && { env: definition.env }),
  });
  return new vscode.Task({ ...definition }, folder, name ?? textOf(definition), TYPE, run, []);
}

/** What a task of our type records; undefined for tasks of others. */
export function definitionOf(task: vscode.Task): Definition | undefined {
  return task.definition.type === TYPE ? (task.definition as Definition) : undefined;
}

/** The workspace folder of a task. */
export function folderOf(task: vscode.Task): vscode.WorkspaceFolder | undefined {
  return typeof task.scope === "object" ? task.scope : vscode.workspace.workspaceFolders?.[0];
}

/** Makes the tasks of `tasks.json` runnable, and offers the scripts of packages to *Run task*. */
export function provideTasks(program: Program, all: () => Promise<vscode.Task[]>): vscode.Disposable {
  return vscode.tasks.registerTaskProvider(TYPE, {
    provideTasks: () => all(),
    resolveTask: (task) => {
      const [definition, folder] = [definitionOf(task), folderOf(task)];
      if (!definition || !folder) return undefined;
      const resolved = taskOf(definition, folder, program, task.name);
      // VS Code knows a task by its definition, which must be the very one that it asked for.
      return new vscode.Task(task.definition, folder, resolved.name, TYPE, resolved.execution, []);
    },
  });
}
