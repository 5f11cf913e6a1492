import * as vscode from 'vscode';
import { instant, type Instant } from '../../../engine/units.ts';
import type { Unseen } from '../cluster/sessionTypes.ts';
import { markdownText } from '../live/markdownText.ts';
import type { ContextLine } from './model/messages.ts';
import { serverTime } from './model/countdown.ts';
import { besideName, rowTooltip } from './model/nextTexts.ts';
import { hasRole, overview, unseenTitle, type OverviewGroup } from './model/overview.ts';
import { titleOf, type Group, type PanelRow } from './model/panelRow.ts';
import { spokenRow } from './model/words.ts';

/** What the tree shows; the hub has it. */
export type TreeSource = {
  readonly contexts: () => readonly ContextLine[];
  readonly rows: () => Iterable<PanelRow>;
};

export type TreeNode =
  | { readonly kind: 'context'; readonly line: ContextLine }
  | { readonly kind: 'group'; readonly line: ContextLine; readonly group: OverviewGroup }
  | { readonly kind: 'row'; readonly line: ContextLine; readonly row: PanelRow }
  | { readonly kind: 'unseen'; readonly line: ContextLine; readonly unseen: Unseen };

// A group of thousands is for the table, which scrolls; a tree would build each of them.
const mostShown = 200;
const mostTicking = 60;
const soon = 3_600_000;
const seldom = 30;

export type OverviewTree = vscode.TreeDataProvider<TreeNode> & {
  readonly refresh: () => void;
  /** Writes the countdowns anew without asking for the children again. */
  readonly tick: () => void;
  readonly dispose: () => void;
};

/** The overview: what gave up, then what is tried next, then what is only estimated or not seen. */
export function overviewTree(source: TreeSource): OverviewTree {
  const changed = new vscode.EventEmitter<TreeNode | undefined>();
  let shown = new Map<string, TreeNode & { readonly kind: 'row' }>();
  let ticks = 0;

  const children = (node: TreeNode | undefined): readonly TreeNode[] => {
    if (node === undefined) {
      shown = new Map();
      const contexts = source.contexts();
      const [only] = contexts;
      if (contexts.length === 1 && only !== undefined) return groupsOf(only);
      return contexts.map((line) => ({ kind: 'context', line }));
    }
    switch (node.kind) {
      case 'context':
        return groupsOf(node.line);
      case 'group':
        return membersOf(node.line, node.group);
      case 'row':
      case 'unseen':
        return [];
    }
  };
  const groupsOf = (line: ContextLine): readonly TreeNode[] => {
    const own = [...source.rows()].filter(({ context }) => context === line.name);
    return overview(own, line.unseen).map((group) => ({ kind: 'group', line, group }));
  };
  const membersOf = (line: ContextLine, group: OverviewGroup): readonly TreeNode[] => {
    const rows = group.rows.slice(0, mostShown).map((row) => ({ kind: 'row', line, row }) as const);
    for (const node of rows) shown.set(node.row.id, node);
    return [
      ...rows,
      ...group.unseen.map((one) => ({ kind: 'unseen', line, unseen: one }) as const),
    ];
  };

  return {
    onDidChangeTreeData: changed.event,
    getChildren: (node) => [...children(node)],
    getTreeItem: itemOf,
    refresh: () => {
      changed.fire(undefined);
    },
    tick: () => {
      ticks += 1;
      const all = [...shown.values()];
      const now = instant(Date.now());
      // Hours away, a second more or less is nothing to redraw a row for.
      const due = all.filter(({ row: { next } }) => next !== undefined && next.lo - now < soon);
      for (const node of ticks % seldom === 0 ? all : due.slice(0, mostTicking)) changed.fire(node);
    },
    dispose: () => {
      changed.dispose();
    },
  };
}

function itemOf(node: TreeNode): vscode.TreeItem {
  switch (node.kind) {
    case 'context':
      return contextItem(node.line);
    case 'group':
      return groupItem(node.line, node.group);
    case 'row':
      return rowItem(node.row, serverTime(instant(Date.now()), node.line.skew));
    case 'unseen':
      return unseenItem(node.line, node.unseen);
  }
}

function contextItem(line: ContextLine): vscode.TreeItem {
  const item = new vscode.TreeItem(line.name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `context:${line.name}`;
  item.description = line.state === 'live' ? line.server : line.state;
  item.tooltip = `${line.name}\n${line.server}`;
  item.iconPath = new vscode.ThemeIcon(line.isDemo ? 'beaker' : 'server-environment');
  item.contextValue = line.isLocked ? 'context.locked' : 'context.unlocked';
  return item;
}

const groupIcons: Readonly<Record<Group, vscode.ThemeIcon>> = {
  'gave-up': new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground')),
  waiting: new vscode.ThemeIcon('watch'),
  attempting: new vscode.ThemeIcon('play'),
  estimate: new vscode.ThemeIcon('question'),
  unseen: new vscode.ThemeIcon('eye-closed'),
};

function groupItem(
  line: ContextLine,
  { group, title, rows, unseen }: OverviewGroup,
): vscode.TreeItem {
  const count = rows.length + unseen.length;
  // What is not seen can be a line for every kind in every namespace.
  const isOpen = group !== 'unseen' || rows.length > 0;
  const item = new vscode.TreeItem(
    title,
    isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = `group:${line.name}:${group}`;
  item.description =
    rows.length > mostShown ? `${String(count)}, the first ${String(mostShown)}` : String(count);
  item.iconPath = groupIcons[group];
  item.contextValue = `group.${group}`;
  item.accessibilityInformation = { label: `${title}, ${String(count)}` };
  return item;
}

function rowItem(row: PanelRow, now: Instant): vscode.TreeItem {
  const item = new vscode.TreeItem(titleOf(row));
  item.id = `row:${row.id}`;
  item.description = besideName(row, now);
  item.tooltip = new vscode.MarkdownString(rowTooltip(row, now).map(markdownText).join('\n\n'));
  item.contextValue = `row.${row.group}`;
  item.accessibilityInformation = { label: spokenRow(row, now) };
  item.command = {
    command: 'kubeBackoff.openPanel',
    title: 'Show in the panel',
    arguments: [row.id],
  };
  return item;
}

function unseenItem(line: ContextLine, unseen: Unseen): vscode.TreeItem {
  const { resource, namespace, why, detail } = unseen;
  const title = unseenTitle(unseen);
  const item = new vscode.TreeItem(title);
  item.id = `unseen:${line.name}:${resource}:${namespace ?? ''}`;
  item.description = why;
  item.tooltip = detail;
  item.iconPath = new vscode.ThemeIcon(why === 'forbidden' ? 'lock' : 'circle-slash');
  item.contextValue = hasRole(unseen) ? 'unseen.forbidden' : 'unseen';
  item.accessibilityInformation = { label: `${title}: ${why}. ${detail}` };
  return item;
}
