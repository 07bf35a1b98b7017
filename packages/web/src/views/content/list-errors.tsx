import { sanitizeLine } from "@plugboard/contracts";
import { Notice } from "../../components/layout.tsx";

/** Shows the errors of servers whose content could not be listed. */
export function ListErrors({ errors }: { errors: { readonly [server: string]: string } }) {
  return Object.entries(errors).map(([server, message]) => (
    <Notice key={server} tone="warn">
      <strong>{sanitizeLine(server)}</strong>: {sanitizeLine(message)}
    </Notice>
  ));
}
