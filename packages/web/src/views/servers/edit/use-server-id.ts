import { useState } from "react";

interface ServerId {
  readonly id: string;
  /** The properties of the field of the id. */
  readonly field: { readonly id: string; readonly onId: (id: string) => void; readonly missing: boolean };
  /** Returns false for an empty id, and shows that at the field. */
  readonly check: () => boolean;
}

/** The id that the user types. Until then, the suggested one. */
export function useServerId(suggested: string): ServerId {
  const [typed, setTyped] = useState<string>();
  const [missing, setMissing] = useState(false);
  const text = typed ?? suggested;
  const id = text.trim();
  const onId = (next: string) => {
    setTyped(next);
    setMissing(false);
  };
  const check = () => {
    setMissing(id === "");
    return id !== "";
  };
  return { id, field: { id: text, onId, missing: missing && id === "" }, check };
}
