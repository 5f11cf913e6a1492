/** Lets so many tasks run at a time, in the order in which they asked. */
export function turns(most: number): () => Promise<() => void> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    running -= 1;
    waiting.shift()?.();
  };
  return async () => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      leave();
    };
  };
}
