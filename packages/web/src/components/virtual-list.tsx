/** A long list of which only the visible rows exist in the document. */
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly keyOf: (item: T) => string;
  readonly label: string;
  /** The item that is scrolled into view when the list first has it. */
  readonly selected?: T | undefined;
  readonly children: (item: T, index: number) => ReactNode;
}

/** How many rows exist above and below the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 6;

export function VirtualList<T>({ items, rowHeight, keyOf, label, selected, children }: VirtualListProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const box = ref.current!;
    const measure = () => setRange({ top: box.scrollTop, height: box.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    box.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", measure);
    };
  }, []);
  const shown = useRef(false);
  useEffect(() => {
    const index = shown.current || selected === undefined ? -1 : items.indexOf(selected);
    if (index < 0) return;
    shown.current = true;
    const box = ref.current!;
    const isVisible = index * rowHeight >= box.scrollTop && (index + 1) * rowHeight <= box.scrollTop + box.clientHeight;
    if (!isVisible) box.scrollTop = index * rowHeight - box.clientHeight / 2;
  }, [items, selected, rowHeight]);
  // A shorter list begins at its top.
  useEffect(() => {
    if (ref.current && ref.current.scrollTop > items.length * rowHeight) ref.current.scrollTop = 0;
  }, [items.length, rowHeight]);
  const first = Math.max(0, Math.floor(range.top / rowHeight) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((range.top + range.height) / rowHeight) + OVERSCAN);
  return (
    <div className="virtual" ref={ref} tabIndex={0} role="group" aria-label={label}>
      <div className="virtual-content" role="list" style={{ height: items.length * rowHeight }}>
        {items.slice(first, last).map((item, offset) => (
          <div
            key={keyOf(item)}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={first + offset + 1}
            className="virtual-row"
            style={{ top: (first + offset) * rowHeight, height: rowHeight }}
          >
            {children(item, first + offset)}
          </div>
        ))}
      </div>
    </div>
  );
}
