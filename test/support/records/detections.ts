import type { DetectionReport } from '../../../shared/schema/detection/detection.ts';
import { startOfTests } from '../world/world.ts';

/** What a camera sends when it sees somebody. */
export function detection(sessionId: string, given: Partial<DetectionReport> = {}): DetectionReport {
  return {
    timestamp: startOfTests,
    profile: { id: 'p-1', name: 'Entrance' },
    skill: { id: 's-1', name: 'People' },
    session: { id: sessionId, url: `https://sessions.example.com/${encodeURIComponent(sessionId.toWellFormed())}` },
    analysis: {
      objects: [
        { name: 'person', detected: true, confidence: 0.91, boundingBox: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 } },
      ],
      questions: [
        { id: 1, name: 'helmet', text: 'Does the person wear a helmet?', type: 'bool', answer: true },
        { id: 2, name: 'colour', text: 'Which colour has the jacket?', type: 'string', answer: 'röd' },
      ],
      summary: 'En person vid dörren — 人',
    },
    imageUrl: 'https://frames.example.com/1.jpg',
    ...given,
  };
}
