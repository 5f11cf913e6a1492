import './components.ts';

type Attributes = Readonly<Record<string, string | undefined>>;

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

export type Button = HTMLElementTagNameMap['vscode-button'];

/** A button that answers to a click, and to Enter and Space as every button does. */
export function button(label: string, run: () => void, isPrimary = false): Button {
  const made = el('vscode-button', {}, label);
  made.secondary = !isPrimary;
  made.addEventListener('click', run);
  return made;
}

/** A sentence of ours with what stands in backticks as code. */
export function withCode(text: string): readonly (Node | string)[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? el('code', {}, part) : part))
    .filter((part) => part !== '');
}
