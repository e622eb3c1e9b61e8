import { searchShare } from '../engine/share.ts';
import { cacheScenarios, laterCacheScenarios } from './scenarios.ts';

searchShare([...cacheScenarios, ...laterCacheScenarios], { histories: 10 });
