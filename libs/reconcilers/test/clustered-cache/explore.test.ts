import { searchShare } from '../search/share.ts';
import { cacheScenarios } from './scenarios.ts';

searchShare(cacheScenarios, { histories: 13 });
