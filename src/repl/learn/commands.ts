import { ArgsError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import { stack } from "../../core/view.ts";
import type { Command, CommandRoom } from "../command.ts";
import { files, words } from "../command-words.ts";
import { type Wish, wishes } from "./course.ts";

const does: Readonly<Record<Wish, string>> = {
  next: "in a lesson: goes on to the next step",
  back: "in a lesson: goes back a step",
  play: "in a lesson: lets you try things freely; again: returns to the step",
  hint: "in a lesson: gives a hint, the next one each time",
  skip: "in a lesson: runs the step's solution",
  why: "in a lesson: tells why a cell came out as it did",
  restart: "in a lesson: begins the step anew, after the cells before it",
};

/** `:learn`, and what a lesson knows. */
export const lessonCommands: Readonly<Record<string, Command>> = {
  learn: {
    takes: "LESSON",
    does: "begins a lesson of the course, or a notebook's; without a name it lists them",
    run: async (room, rest) => await learn(room, rest),
    complete: async ({ cwd }, typed) => {
      const { lessonNames } = await import("./library.ts");
      return [...words([...(await lessonNames()), ...wishes, "end"]), ...(await files(cwd, typed, ".ipynb"))];
    },
  },
  ...Object.fromEntries(
    wishes.map((wish) => [
      wish,
      {
        takes: "",
        does: does[wish],
        run: async (room: CommandRoom) => {
          await wishFor(room, wish);
          return stack();
        },
      },
    ]),
  ),
};

async function learn(room: CommandRoom, rest: string) {
  const wish = wishes.find((each) => each === rest);
  if (wish) await wishFor(room, wish);
  else if (rest === "end") room.lesson.end();
  else if (rest === "") return await room.lesson.list();
  else await room.lesson.begin(rest);
  return stack();
}

async function wishFor({ lesson }: CommandRoom, wish: Wish): Promise<void> {
  const learner = lesson.learner;
  if (!learner) throw new ArgsError(`${quoted(`:${wish}`)} belongs to a lesson, and none is open; :learn lists them.`);
  await learner.wish(wish);
}
