/** The head of a long list: a search field, and how many items it finds. */
import type { ReactNode } from "react";
import { TextInput } from "./field.tsx";

interface ListHeadProps {
  readonly label: string;
  readonly placeholder: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Such as `3 tools`. */
  readonly count: ReactNode;
}

export function ListHead({ label, placeholder, query, onQuery, count }: ListHeadProps) {
  return (
    <div className="card-head">
      <TextInput type="search" aria-label={label} placeholder={placeholder} value={query} onValue={onQuery} />
      <span className="small muted" role="status">
        {count}
      </span>
    </div>
  );
}
