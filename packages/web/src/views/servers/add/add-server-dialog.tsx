/** The ways to add a server: by hand, from another client on this machine, or from the registry. */
import { useState } from "react";
import { Tabs } from "../../../components/tabs.tsx";
import { EMPTY_DRAFT } from "../edit/draft.ts";
import { ServerDialog } from "../edit/server-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { RegistryDialog } from "./registry-dialog.tsx";

export type AddWay = "manual" | "import" | "registry";

interface AddServerDialogProps {
  readonly initialWay: AddWay;
  readonly onClose: () => void;
}

export function AddServerDialog({ initialWay, onClose }: AddServerDialogProps) {
  const [way, setWay] = useState(initialWay);
  const ways = <Ways selected={way} onSelect={setWay} />;
  if (way === "import") return <ImportDialog onClose={onClose} ways={ways} />;
  if (way === "registry") return <RegistryDialog onClose={onClose} ways={ways} />;
  return (
    <ServerDialog
      title="Add a server"
      initial={{ id: "", draft: EMPTY_DRAFT }}
      replace={false}
      onClose={onClose}
      intro={ways}
    />
  );
}

function Ways({ selected, onSelect }: { selected: AddWay; onSelect: (way: AddWay) => void }) {
  return (
    <Tabs
      label="How to add a server"
      selected={selected}
      onSelect={(id) => onSelect(id as AddWay)}
      tabs={[
        { id: "manual", title: "By hand" },
        { id: "import", title: "Another client" },
        { id: "registry", title: "Registry" },
      ]}
    >
      {null}
    </Tabs>
  );
}
