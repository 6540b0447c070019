// Apple's platforms alone have UIKit: this could not be compiled where the rest was written.
#if canImport(UIKit)
    public import DataProtection
    internal import Foundation
    public import UIKit

    extension UIApplication: @retroactive ProtectedDataAvailability {
        /// Whether protected data can be used, and every change of that. The sequence does not end
        /// by itself.
        ///
        /// `false` comes with *will become unavailable*, a moment before the keys go: UIKit posts
        /// nothing afterwards.
        public nonisolated var protectedDataChanges: AsyncStream<Bool> {
            AsyncStream { continuation in
                let changes = AvailabilityChanges(continuation)
                let center = NotificationCenter.default
                let tokens = [
                    (UIApplication.protectedDataDidBecomeAvailableNotification, true),
                    (UIApplication.protectedDataWillBecomeUnavailableNotification, false),
                ].map { name, isAvailable in
                    center.addObserver(forName: name, object: nil, queue: nil) { _ in
                        changes.tell(isAvailable)
                    }
                }
                // Subscribed first, so that nothing is missed between.
                Task { @MainActor in changes.tell(self.isProtectedDataAvailable) }
                let kept = Tokens(tokens)
                continuation.onTermination = { _ in
                    for token in kept.tokens { center.removeObserver(token) }
                }
            }
        }
    }

    /// What ends the subscriptions. The tokens are handed back to the center and used for nothing.
    private final class Tokens: @unchecked Sendable {
        let tokens: [any NSObjectProtocol]

        init(_ tokens: [any NSObjectProtocol]) { self.tokens = tokens }
    }
#endif
