import { place, setAttribute, write, type Attributes } from './dom.ts';

type Tag = keyof HTMLElementTagNameMap;

/** What an element is to be; a text stands for itself. */
export type Wanted = {
  readonly tag: Tag;
  /** Tells siblings of one tag apart where their order can change. */
  readonly key: string;
  readonly attributes: Attributes;
  readonly children: readonly Child[];
  /** What a click does. */
  readonly run?: () => void;
  /** Of a bar; the page's policy allows no style attribute. */
  readonly width?: string;
};

export type Child = Wanted | string;

export const want = (
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): Wanted => ({ tag, key: '', attributes, children });

export const keyed = (key: string, wanted: Wanted): Wanted => ({ ...wanted, key });

/** A button, known by its key: what it says and does may change while it has the keyboard. */
export const wantButton = (
  key: string,
  label: string,
  run: () => void,
  { isPrimary = false, isDisabled = false } = {},
): Wanted => ({
  ...want(
    'vscode-button',
    {
      secondary: isPrimary ? undefined : '',
      disabled: isDisabled ? '' : undefined,
      'aria-disabled': isDisabled ? 'true' : undefined,
    },
    label,
  ),
  key,
  run,
});

/** A sentence of ours with what stands in backticks as code. */
export const withCode = (text: string): readonly Child[] =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? want('code', {}, part) : part))
    .filter((part) => part !== '');

const made = new WeakMap<Node, Wanted>();

/**
 * Makes the children of an element what is wanted, and touches only what differs.
 *
 * An element that stays is the same element: it keeps the keyboard, the selection, its scroll and whether it is open.
 */
export function patch(parent: Element, wanted: readonly Child[]): void {
  const free = new Map<string, ChildNode[]>();
  for (const node of parent.childNodes) {
    const identity = identityOf(made.get(node) ?? '');
    const others = free.get(identity);
    if (others === undefined) free.set(identity, [node]);
    else others.push(node);
  }
  const nodes = wanted.map((child) => {
    const node = free.get(identityOf(child))?.shift() ?? make(child);
    fill(node, child);
    return node;
  });
  for (const node of [...free.values()].flat()) node.remove();
  place(parent, nodes);
}

const identityOf = (child: Child): string =>
  typeof child === 'string' ? '' : `${child.tag} ${child.key}`;

function make(child: Child): ChildNode {
  if (typeof child === 'string') return document.createTextNode(child);
  const element = document.createElement(child.tag);
  if (child.run !== undefined) {
    element.addEventListener('click', () => {
      made.get(element)?.run?.();
    });
  }
  return element;
}

function fill(node: ChildNode, child: Child): void {
  if (typeof child === 'string') {
    write(node, child);
    return;
  }
  if (!(node instanceof HTMLElement)) return;
  const before = made.get(node)?.attributes ?? {};
  for (const name of Object.keys({ ...before, ...child.attributes })) {
    setAttribute(node, name, child.attributes[name]);
  }
  if (child.width !== undefined) node.style.width = child.width;
  made.set(node, child);
  patch(node, child.children);
}
