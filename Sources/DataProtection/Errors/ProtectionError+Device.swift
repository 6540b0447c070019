// The sentences of a simulated device.

extension ProtectionError {
    /// The device is off, so no app runs on it.
    package static var deviceOff: ProtectionError {
        ProtectionError(
            .closed, "the device is off", remedy: "call boot(), then unlock(passcode:)")
    }

    /// The device runs already.
    package static var deviceOn: ProtectionError {
        invalidArgument("the device is on", remedy: "call reboot(), or shutDown() first")
    }

    /// The device was erased: there is nothing on it that could be used.
    package static var deviceErased: ProtectionError {
        ProtectionError(
            .closed, "the device was erased after ten wrong passcodes",
            remedy: "make a new SimulatedDevice")
    }

    /// This was the passcode that erased the device.
    package static var wrongPasscodeErases: ProtectionError {
        ProtectionError(
            .wrongPasscode, "ten wrong passcodes in a row: the device is erased",
            remedy: "make a new SimulatedDevice")
    }
}
