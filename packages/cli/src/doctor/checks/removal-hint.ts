/** Says how to remove a server from the file that defines it. Pure. */
import type { DescribedDefinition } from "@plugboard/contracts";

type Definition = Pick<DescribedDefinition, "id" | "source" | "file">;

/** Returns a phrase such as "`plugboard remove github --scope user`". */
export function removalHint({ id, source, file }: Definition): string {
  const isScope = source === "user" || source === "project" || source === "local";
  return isScope ? `\`plugboard remove ${id} --scope ${source}\`` : `delete it from ${file}`;
}
