/** Entries ordered by time, then by index. */
export type TimeHeap = {
  readonly push: (time: number, index: number) => void;
  readonly pop: () => { readonly time: number; readonly index: number } | undefined;
};

/** A binary heap over two flat arrays, for queues of thousands of objects. */
export function timeHeap(capacity: number): TimeHeap {
  let times = new Float64Array(Math.max(1, capacity));
  let indices = new Int32Array(Math.max(1, capacity));
  let size = 0;
  const time = (at: number): number => times[at] ?? 0;
  const index = (at: number): number => indices[at] ?? 0;
  const isBefore = (aTime: number, aIndex: number, at: number): boolean =>
    aTime < time(at) || (aTime === time(at) && aIndex < index(at));
  const put = (at: number, newTime: number, newIndex: number): void => {
    times[at] = newTime;
    indices[at] = newIndex;
  };
  const grow = (): void => {
    const moreTimes = new Float64Array(size * 2);
    const moreIndices = new Int32Array(size * 2);
    moreTimes.set(times);
    moreIndices.set(indices);
    times = moreTimes;
    indices = moreIndices;
  };
  return {
    push: (newTime, newIndex) => {
      if (size === times.length) grow();
      let at = size;
      size += 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!isBefore(newTime, newIndex, parent)) break;
        put(at, time(parent), index(parent));
        at = parent;
      }
      put(at, newTime, newIndex);
    },
    pop: () => {
      if (size === 0) return undefined;
      const first = { time: time(0), index: index(0) };
      size -= 1;
      const lastTime = time(size);
      const lastIndex = index(size);
      let at = 0;
      for (let least = 2 * at + 1; least < size; least = 2 * at + 1) {
        if (least + 1 < size && isBefore(time(least + 1), index(least + 1), least)) least += 1;
        if (isBefore(lastTime, lastIndex, least)) break;
        put(at, time(least), index(least));
        at = least;
      }
      put(at, lastTime, lastIndex);
      return first;
    },
  };
}
