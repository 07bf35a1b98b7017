import { sanitizeLine } from "@plugboard/contracts";
import { Notice } from "../../components/layout.tsx";

/** The servers that could not be listed. */
export function ListErrors({ errors }: { errors: { readonly [server: string]: string } }) {
  return Object.entries(errors).map(([server, message]) => (
    <Notice key={server} tone="warn">
      <strong>{sanitizeLine(server)}</strong>: {sanitizeLine(message)}
    </Notice>
  ));
}
