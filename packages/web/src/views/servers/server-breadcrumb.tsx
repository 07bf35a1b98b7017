import { sanitizeLine } from "@plugboard/contracts";
import { hrefOf } from "../../hooks/route.ts";

export function ServerBreadcrumb({ name }: { name: string }) {
  return (
    <>
      <a className="breadcrumb" href={hrefOf("servers")}>
        Servers
      </a>
      <span className="muted"> / </span>
      {sanitizeLine(name)}
    </>
  );
}
