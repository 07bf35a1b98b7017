/** The list of the skills of all servers, and the files of the chosen one. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { SkillList } from "@plugboard/contracts";
import { EmptyState, Notice } from "../../components/layout.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { plural } from "../../format/format.ts";
import { itemKey } from "../../format/item-key.ts";
import { itemsOf, useServerLists } from "./use-server-lists.ts";
import { ListErrors } from "./list-errors.tsx";
import { SkillReader } from "./skill-reader.tsx";

type ListedSkill = SkillList["skills"][number];

const keyOf = ({ server, uri }: ListedSkill) => itemKey(server, uri);

export function Skills() {
  const list = useServerLists(async (workspace, server) => {
    const { skills, errors, dropped = [] } = await workspace.skills.list({ server });
    return itemsOf(server, [{ skills, dropped }], errors);
  });
  const skills = list.items.flatMap((item) => item.skills);
  const dropped = list.items.flatMap((item) => item.dropped);
  const [chosen, setChosen] = useState<ListedSkill>();
  return (
    <>
      <ListErrors errors={list.errors} />
      {dropped.map(({ server, name, reason }) => (
        <Notice key={itemKey(server, name)} tone="warn">
          <strong>{sanitizeLine(server)}</strong>: {sanitizeLine(name)} can't be used: {sanitizeLine(reason)}
        </Notice>
      ))}
      {!list.loading && skills.length === 0 ? (
        <EmptyState title="No server has skills" />
      ) : (
        <div className="split">
          <div className="card list-panel list-panel-short">
            <div className="card-head">
              <span className="small muted">{plural(skills.length, "skill")}</span>
            </div>
            <VirtualList items={skills} rowHeight={52} label="Skills" keyOf={keyOf}>
              {(skill) => (
                <button
                  type="button"
                  className="tool-row"
                  aria-current={chosen && keyOf(chosen) === keyOf(skill)}
                  onClick={() => setChosen(skill)}
                >
                  <span className="row">
                    <span className="cut grow">{sanitizeLine(skill.name)}</span>
                    <span className="small muted">{sanitizeLine(skill.server)}</span>
                  </span>
                  <span className="small muted cut">{sanitizeLine(skill.description ?? skill.uri)}</span>
                </button>
              )}
            </VirtualList>
          </div>
          {chosen ? (
            <SkillReader key={keyOf(chosen)} server={chosen.server} uri={chosen.uri} />
          ) : (
            <div className="card">
              <EmptyState title={list.loading ? "Loading…" : "Choose a skill"} />
            </div>
          )}
        </div>
      )}
    </>
  );
}
