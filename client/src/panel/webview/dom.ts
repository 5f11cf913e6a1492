import './components.ts';

export type Attributes = Readonly<Record<string, string | undefined>>;

/** Makes an element; text goes in as text, never as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Writes a text only where it changes, so that a tick touches nothing else. */
export function write(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Puts nodes into order, and takes out what is not among them.
 *
 * What has the keyboard would lose it by being moved, so everything else moves around it.
 */
export function place(parent: Element, wanted: readonly ChildNode[]): void {
  const focused = wanted.find((node) => node.contains(document.activeElement));
  let at: ChildNode | null = parent.firstChild;
  for (const node of wanted) {
    if (node === focused) at = moveAside(parent, at, node);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
  while (at !== null) {
    const next: ChildNode | null = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Moves what stands before a child behind all others, where it is put into order later. */
function moveAside(parent: Element, from: ChildNode | null, until: ChildNode): ChildNode | null {
  let at = from;
  while (at !== null && at !== until) {
    const next: ChildNode | null = at.nextSibling;
    parent.append(at);
    at = next;
  }
  return at;
}

export type Button = HTMLElementTagNameMap['vscode-button'];

/** A button that answers to a click, and to Enter and Space as every button does. */
export function button(label: string, run: () => void, isPrimary = false): Button {
  const made = el('vscode-button', {}, label);
  made.secondary = !isPrimary;
  made.addEventListener('click', run);
  return made;
}
