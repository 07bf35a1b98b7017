/** The open questions about one tool, beside the call that waits for them. */
import { useLayoutEffect, useRef } from "react";
import type { ReactNode } from "react";
import type { Question } from "@plugboard/contracts";
import { usePage } from "../../store/context.tsx";
import { QuestionCard } from "./question-card.tsx";
import { QuestionList } from "./question-list.tsx";

export function CallQuestions({ server, tool }: { server: string; tool: string }) {
  const questions = usePage((state) => state.questions);
  return (
    <QuestionList
      questions={questions.filter((question) => isAboutCall(question, server, tool))}
      card={(question) => (
        <ScrolledIntoView key={question.id}>
          <QuestionCard question={question} besideTool />
        </ScrolledIntoView>
      )}
    />
  );
}

/** A question may appear below the visible part of the page. */
function ScrolledIntoView({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    ref.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={ref} className="scrolled-question">
      {children}
    </div>
  );
}

export function isAboutCall(question: Question, server: string, tool: string): boolean {
  if (question.server !== server) return false;
  return !("tool" in question) || question.tool === undefined || question.tool === tool;
}
