import type { ScopeInfo } from "@plugboard/contracts";
import { useLoad } from "../../../hooks/use-load.ts";

/** Returns the scopes that a server can be written to. None until they are loaded. */
export function useScopes(): readonly ScopeInfo[] {
  const overview = useLoad(({ operations }) => operations.overview(), []);
  return overview.data?.scopes ?? [];
}
