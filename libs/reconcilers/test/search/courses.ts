import type { Course } from './course.ts';
import { externalCourses } from './external-courses.ts';
import { lifecycleCourses } from './lifecycle-courses.ts';

/** All that can be searched. A course is named by its number in this list, in messages between processes and in files. */
export const courses: readonly Course[] = [...lifecycleCourses, ...externalCourses];

/** The names of all kinds. */
export const kinds: readonly string[] = [...new Set(courses.map(({ kind }) => kind))];
