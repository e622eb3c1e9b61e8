/** How many questions are put for one object at a time: with hundreds at once it would fill the line of its namespace. */
const atATime = 8;

/** Puts questions side by side, a few at a time, and gives the answers in the order of the questions. */
export async function askAll<Question, Reply>(
  questions: readonly Question[],
  put: (question: Question) => Promise<Reply>,
): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  const waiting = questions.entries();
  const putOn = async (): Promise<void> => {
    for (const [index, question] of waiting) replies[index] = await put(question);
  };
  await Promise.all(Array.from({ length: atATime }, putOn));
  return replies;
}
